/** CSS class of collapsed history (quoted earlier messages), for pages to style. */
export const historyClass = 'posthorn-history'

/**
 * CSS class that marks quoted history in HTML until it is folded. The class occurs in no result.
 */
const markClass = 'posthorn-quote'
const mark = `<details class="${markClass}">`
const fold = `<details class="${historyClass}">`
const opening = `${fold}<summary></summary><blockquote>`
const closing = '</blockquote></details>'

const quoteClasses =
  /(?:^|\s)(?:gmail_quote(?:_container)?|gmail_extra|yahoo_quoted|protonmail_quote|moz-cite|zmail_extra|tutanota_quote|front-blockquote|quotecontainer)(?:\s|$)/i
const quoteIds =
  /^(?:yahoo_quoted|mail-editor-reference-message-container|isForwardContent|reply-intro)/i

/**
 * True if an HTML element contains quoted earlier messages, as common mail clients mark them. Pure.
 */
export function isQuotedHistory(
  tagName: string,
  attribs: Readonly<Record<string, string>>,
): boolean {
  if (tagName !== 'blockquote' && tagName !== 'div') return false
  const isCited = tagName === 'blockquote' && attribs['type']?.toLowerCase() === 'cite'
  return isCited || quoteClasses.test(attribs['class'] ?? '') || quoteIds.test(attribs['id'] ?? '')
}

/** HTML element that the sanitiser writes in place of quoted history. */
export const historyMark = { tagName: 'details', attribs: { class: markClass } }

interface Region {
  start: number
  end: number
}

/**
 * Collapses the quoted history at the end of a message's HTML. Takes well-formed HTML with
 * `historyMark` elements. Quotes between lines of the reply stay visible, as does a message without
 * other content. Takes n log n time for n quotes.
 */
export function foldHistory(html: string): string {
  const regions = findRegions(html, mark)
  const last = lastOuter(regions)
  const isFolded =
    last && hasContent(html.slice(0, last.start)) && !hasContent(html.slice(last.end))
  const pieces: string[] = []
  let at = 0
  const edges = regions
    .flatMap((region) => {
      const folded = isFolded && region === last
      const open = { at: region.start, length: mark.length, put: folded ? opening : '<blockquote>' }
      const close = {
        at: region.end - '</details>'.length,
        length: '</details>'.length,
        put: folded ? closing : '</blockquote>',
      }
      return [open, close]
    })
    .sort((a, b) => a.at - b.at)
  for (const edge of edges) {
    pieces.push(html.slice(at, edge.at), edge.put)
    at = edge.at + edge.length
  }
  return pieces.join('') + html.slice(at)
}

/**
 * Last of the HTML regions outside any other region. Regions nest and are ordered by their start.
 */
function lastOuter(regions: readonly Region[]): Region | undefined {
  let last: Region | undefined
  for (const region of regions) if (!last || region.start > last.end) last = region
  return last
}

/** Inverse of `foldHistory`: HTML with plain blockquotes, for quoting in another message. */
export function unfoldHistory(html: string): string {
  const start = html.indexOf(opening)
  const region = start < 0 ? undefined : findRegions(html, fold).find((one) => one.start === start)
  // The message itself may contain an HTML element of this class.
  if (!region || !html.slice(start, region.end).endsWith(closing)) return html
  const inner = html.slice(start + opening.length, region.end - closing.length)
  return `${html.slice(0, start)}<blockquote>${inner}</blockquote>${html.slice(region.end)}`
}

/** Positions of the HTML elements with the start tag, ordered by their start. */
function findRegions(html: string, startTag: string): Region[] {
  const regions: Region[] = []
  const open: (Region | undefined)[] = []
  for (const { 0: tag, index } of html.matchAll(/<details\b[^>]*>|<\/details>/g)) {
    if (tag !== '</details>') {
      const region = tag === startTag ? { start: index, end: 0 } : undefined
      if (region) regions.push(region)
      open.push(region)
      continue
    }
    const region = open.pop()
    if (region) region.end = index + tag.length
  }
  return regions.filter(({ end }) => end > 0)
}

function hasContent(html: string): boolean {
  return (
    /<img\b/.test(html) || /[^\s\u00A0]/.test(html.replace(/<[^>]*>/g, '').replaceAll('&nbsp;', ''))
  )
}
