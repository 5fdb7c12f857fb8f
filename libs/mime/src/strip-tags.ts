import { endOfComment, endOfRawElement, nextMarkup } from './read-tags.ts'

/**
 * Maximum number of HTML characters that `stripTags` reads. The rest of the HTML is cut off.
 */
export const maxStrippedLength = 256 * 1024

const name = /\/?[a-z][a-z0-9]{0,15}/iy
/** Names of HTML elements whose tags start a new line in the extracted text. */
const lineElements = new Set(
  'address article blockquote br center dd div dl dt footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section table td th tr ul'.split(
    ' ',
  ),
)

/**
 * Extracts the text of an HTML document, with line breaks. Used for HTML with too much markup.
 * Entities are not decoded. Takes linear time.
 */
export function stripTags(html: string): string {
  const text = html.slice(0, maxStrippedLength)
  const pieces: string[] = []
  for (let at = 0; at < text.length;) {
    const start = nextMarkup(text, at)
    if (start > at) pieces.push(text.slice(at, start))
    at = start === text.length ? start : skipMarkup(text, start, pieces)
  }
  const lines = pieces
    .join('')
    .split('\n')
    .map((line) => line.trim())
  return lines.filter((line) => line !== '').join('\n')
}

/** Returns the position after the HTML markup that starts with `<` at a position. */
function skipMarkup(text: string, start: number, pieces: string[]): number {
  const comment = endOfComment(text, start)
  if (comment !== undefined) return comment
  const close = text.indexOf('>', start)
  if (close === -1) return text.length
  name.lastIndex = start + 1
  const tag = name.exec(text)?.[0].toLowerCase() ?? ''
  if (lineElements.has(tag.replace('/', ''))) pieces.push('\n')
  return endOfRawElement(text, tag, close + 1) ?? close + 1
}

const entity = /&(#\d{1,7}|#x[\da-f]{1,6}|amp|apos|gt|lt|nbsp|quot);/gi
const named: Record<string, string> = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  nbsp: '\u00a0',
  quot: '"',
}

/** Decodes numeric entities and common named entities of HTML. Other entities stay unchanged. */
export function decodeEntities(text: string): string {
  return text.replace(entity, (all, body: string) => {
    const name = body.toLowerCase()
    if (!name.startsWith('#')) return named[name] ?? all
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code >= 0x20 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : all
  })
}
