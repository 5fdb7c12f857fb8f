/** Receiver of the parts of an HTML document, in order. */
export interface HtmlTags {
  /** Called with text of the HTML document, with its entities. A `<` in the text is no markup. */
  onText(text: string): void
  onAttribute(): void
  /**
   * Called with a start tag. Names are in lower case, values unchanged. The first of equal
   * attributes wins.
   */
  onStartTag(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean): void
  onEndTag(name: string): void
  /** True to stop reading HTML tags. */
  readonly isFull: boolean
}

/** Start of HTML markup. Any other `<` is text. */
const markup = /<[a-z/!?]/gi
/** Name of an HTML end tag or start tag, up to the end of the tag or its attributes. */
const tagName = /[a-z][^\t\n\f\r />]*/iy
/**
 * One attribute of an HTML tag: name and value. The alternatives of each step differ in their first
 * character, so matching is linear.
 */
const attribute =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*(?:=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?/y

/** HTML elements whose content is no HTML and is skipped. */
const rawElements = 'iframe noembed noframes noscript script style textarea title xmp'
/** End tags of raw HTML elements (HTML Living Standard §13.2.5, RAWTEXT and RCDATA states). */
const rawEnds = new Map(
  rawElements.split(' ').map((name) => [name, new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi')]),
)

/**
 * Reads an HTML document once, in linear time. Skips comments, declarations and the content of raw
 * elements. Drops markup without an end, as browsers do.
 */
export function readTags(html: string, tags: HtmlTags): void {
  let at = 0
  while (at < html.length && !tags.isFull) {
    const start = nextMarkup(html, at)
    if (start > at) tags.onText(html.slice(at, start))
    at = start === html.length ? start : readMarkup(html, start, tags)
  }
}

/** Position of the next HTML markup, or the end of the document. */
export function nextMarkup(html: string, from: number): number {
  markup.lastIndex = from
  return markup.exec(html)?.index ?? html.length
}

/** Position after the start tag of a raw HTML element and its content; undefined for other tags. */
export function endOfRawElement(html: string, name: string, from: number): number | undefined {
  const pattern = rawEnds.get(name)
  if (!pattern) return undefined
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

/**
 * Position after an HTML comment, declaration or processing instruction; undefined for other
 * markup.
 */
export function endOfComment(html: string, start: number): number | undefined {
  // HTML Living Standard §13.2.5.43: `<!-->` is a comment.
  if (html.startsWith('<!--', start)) return endOf(html, '-->', start + 2)
  const next = html[start + 1]
  return next === '!' || next === '?' ? endOf(html, '>', start + 2) : undefined
}

/** Position after the next occurrence of `mark` in the HTML, or the end of the document. */
function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

/** Reads the HTML markup that starts at `<`. Returns the position after the markup. */
function readMarkup(html: string, start: number, tags: HtmlTags): number {
  const comment = endOfComment(html, start)
  if (comment !== undefined) return comment
  const isEnd = html[start + 1] === '/'
  const name = nameAt(html, isEnd ? start + 2 : start + 1)
  if (isEnd) {
    const end = endOf(html, '>', start + 2)
    // `</` without a name is an HTML comment.
    if (name !== undefined) tags.onEndTag(name.toLowerCase())
    return end
  }
  return readStartTag(html, { name: name ?? '', start }, tags)
}

function nameAt(html: string, at: number): string | undefined {
  tagName.lastIndex = at
  return tagName.exec(html)?.[0]
}

function readStartTag(
  html: string,
  { name, start }: { name: string; start: number },
  tags: HtmlTags,
): number {
  const attributes = new Map<string, string>()
  attribute.lastIndex = start + 1 + name.length
  let at = attribute.lastIndex
  for (let match = attribute.exec(html); match; match = attribute.exec(html)) {
    const [, key = '', double, single, unquoted] = match
    // An unquoted attribute value that starts with a quote has no closing quote.
    if (unquoted !== undefined && /^["']/.test(unquoted)) return html.length
    tags.onAttribute()
    if (tags.isFull) return html.length
    const lower = key.toLowerCase()
    if (!attributes.has(lower)) attributes.set(lower, double ?? single ?? unquoted ?? '')
    at = attribute.lastIndex
  }
  const end = html.indexOf('>', at)
  if (end === -1) return html.length
  const lower = name.toLowerCase()
  const raw = endOfRawElement(html, lower, end + 1)
  if (raw !== undefined) return raw
  tags.onStartTag(lower, attributes, html[end - 1] === '/')
  return end + 1
}
