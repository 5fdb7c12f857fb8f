/**
 * CSS class of quoted earlier messages (history) that are collapsed. Pages can define a style for
 * this class.
 */
export const historyClass = 'posthorn-history'

/**
 * CSS class that temporarily marks quoted earlier messages in HTML. The class is removed before the
 * HTML is returned.
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
 * True if common mail clients use an HTML element with the given name and attributes for quoted
 * earlier messages. Pure function.
 */
export function isQuotedHistory(
  tagName: string,
  attribs: Readonly<Record<string, string>>,
): boolean {
  if (tagName !== 'blockquote' && tagName !== 'div') return false
  const isCited = tagName === 'blockquote' && attribs['type']?.toLowerCase() === 'cite'
  return isCited || quoteClasses.test(attribs['class'] ?? '') || quoteIds.test(attribs['id'] ?? '')
}

/** HTML element that the sanitiser writes in place of an element with quoted earlier messages. */
export const historyMark = { tagName: 'details', attribs: { class: markClass } }

interface Region {
  start: number
  end: number
}

/**
 * Collapses quoted earlier messages (history) at the end of a message's HTML. The HTML must be
 * well-formed, with quotes marked by `historyMark` elements. Quotes between lines of the reply stay
 * visible. A message that consists only of quotes also stays visible. Takes n log n time for n
 * quotes.
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
 * Returns the last region of an HTML document that is not inside another of the regions. The
 * regions must be ordered by their start, and may be nested.
 */
function lastOuter(regions: readonly Region[]): Region | undefined {
  let last: Region | undefined
  for (const region of regions) if (!last || region.start > last.end) last = region
  return last
}

/**
 * Reverses `foldHistory`: returns HTML in which collapsed quotes are plain blockquotes again, for
 * quoting in another message.
 */
export function unfoldHistory(html: string): string {
  const start = html.indexOf(opening)
  const region = start < 0 ? undefined : findRegions(html, fold).find((one) => one.start === start)
  // HTML whose element with collapsed quotes was not written by `foldHistory` is returned
  // unchanged. A message itself may contain an element of this class.
  if (!region || !html.slice(start, region.end).endsWith(closing)) return html
  const inner = html.slice(start + opening.length, region.end - closing.length)
  return `${html.slice(0, start)}<blockquote>${inner}</blockquote>${html.slice(region.end)}`
}

/** Finds all HTML elements that have the given start tag, ordered by their start. */
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
