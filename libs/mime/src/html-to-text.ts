import { compile } from 'html-to-text'

const convert = compile({
  wordwrap: false,
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
    { selector: 'img', format: 'skip' },
  ],
  limits: { maxDepth: 200, maxChildNodes: 20_000, ellipsis: '…' },
})

/** Converts an HTML body to plain text. Bounded in length and depth; never throws. */
export function htmlToText(html: string): string {
  try {
    return convert(limitHtml(html))
  } catch {
    return '' // nested too deeply for the converter
  }
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for HTML content and double-quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => escapes[character] ?? '')
}

/** Processed characters of an HTML body; the rest is cut. */
const maxLength = 2 * 1024 * 1024
/** Nesting limit. The cost of HTML parsers grows with the square of the depth. */
const maxDepth = 10_000
const voidElements = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/**
 * Bounds the parsing time of HTML: cuts long input and removes all tags if they nest too deeply.
 */
export function limitHtml(html: string): string {
  const short = html.length > maxLength ? html.slice(0, maxLength) : html
  return nestsTooDeep(short) ? short.replace(/<[^<>]*>/g, ' ').replaceAll('<', '&lt;') : short
}

/** Upper bound of the real depth: elements closed implicitly still count. */
function nestsTooDeep(html: string): boolean {
  let depth = 0
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,15})/gi)) {
    if (slash) depth = Math.max(0, depth - 1)
    else if (!voidElements.has(name.toLowerCase()) && ++depth > maxDepth) return true
  }
  return false
}
