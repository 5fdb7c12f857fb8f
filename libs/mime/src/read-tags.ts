/** Handler that is called with the parts of an HTML document in their order. */
export interface HtmlTags {
  /**
   * Called with a piece of text of the HTML document. Entities are not decoded. A `<` in the text
   * does not start markup.
   */
  onText(text: string): void
  onAttribute(): void
  /**
   * Called with a start tag of the HTML document. Names are converted to lower case, values are
   * unchanged. If attributes have equal names, only the first of them is passed.
   */
  onStartTag(name: string, attributes: ReadonlyMap<string, string>, isSelfClosing: boolean): void
  onEndTag(name: string): void
  /** True if the handler needs no more parts of the HTML document, so that reading stops. */
  readonly isFull: boolean
}

/** Pattern for the start of HTML markup. Any other `<` is text. */
const markup = /<[a-z/!?]/gi
/**
 * Pattern for the name of an HTML start tag or end tag. The name ends at the end of the tag or
 * before the attributes.
 */
const tagName = /[a-z][^\t\n\f\r />]*/iy
/**
 * Pattern for one attribute of an HTML tag: name and value. In each step, the alternatives differ
 * in their first character, so that matching takes linear time.
 */
const attribute =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*(?:=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >]*)))?/y

/** Names of HTML elements whose content is not HTML. Their content is skipped. */
const rawElements = 'iframe noembed noframes noscript script style textarea title xmp'
/**
 * Patterns for the end tags of elements whose content is not HTML (HTML Living Standard §13.2.5,
 * RAWTEXT and RCDATA states).
 */
const rawEnds = new Map(
  rawElements.split(' ').map((name) => [name, new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi')]),
)

/**
 * Reads an HTML document once, in linear time, and calls the handler `tags` for its parts. Skips
 * comments, declarations and the content of elements that contain no HTML, such as scripts. Markup
 * without an end is dropped, as in browsers.
 */
export function readTags(html: string, tags: HtmlTags): void {
  let at = 0
  while (at < html.length && !tags.isFull) {
    const start = nextMarkup(html, at)
    if (start > at) tags.onText(html.slice(at, start))
    at = start === html.length ? start : readMarkup(html, start, tags)
  }
}

/** Returns the position of the next HTML markup, or the end of the document if there is none. */
export function nextMarkup(html: string, from: number): number {
  markup.lastIndex = from
  return markup.exec(html)?.index ?? html.length
}

/**
 * Returns the position after the content of an HTML element whose content is not HTML, such as a
 * script. The content begins at `from`. Undefined if `name` is not the name of such an element.
 */
export function endOfRawElement(html: string, name: string, from: number): number | undefined {
  const pattern = rawEnds.get(name)
  if (!pattern) return undefined
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

/**
 * Returns the position after an HTML comment, declaration or processing instruction. Undefined for
 * other markup.
 */
export function endOfComment(html: string, start: number): number | undefined {
  // `<!-->` is a complete HTML comment (HTML Living Standard §13.2.5.43).
  if (html.startsWith('<!--', start)) return endOf(html, '-->', start + 2)
  const next = html[start + 1]
  return next === '!' || next === '?' ? endOf(html, '>', start + 2) : undefined
}

/**
 * Returns the position after the next occurrence of `mark` in the HTML. Without an occurrence, the
 * end of the document.
 */
function endOf(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

/**
 * Reads the HTML markup (tag or comment) that starts with `<` at a position. Returns the position
 * after the markup.
 */
function readMarkup(html: string, start: number, tags: HtmlTags): number {
  const comment = endOfComment(html, start)
  if (comment !== undefined) return comment
  const isEnd = html[start + 1] === '/'
  const name = nameAt(html, isEnd ? start + 2 : start + 1)
  if (isEnd) {
    const end = endOf(html, '>', start + 2)
    // In HTML, `</` that is not followed by a name is a comment and is skipped.
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
    // If an unquoted attribute value in HTML starts with a quote, the closing quote is missing. The
    // rest of the document is then dropped.
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
