import sanitize from 'sanitize-html'
import { foldHistory, historyClass, historyMark, isQuotedHistory } from './fold-history.ts'
import { type HtmlRules, simplifyHtml } from './simplify-html.ts'
import { maxStrippedLength, stripTags } from './strip-tags.ts'

/**
 * Pattern of a CSS length without a sign, because a negative margin could move content out of the
 * message. Four digits are sufficient for any screen.
 */
const length = String.raw`(?:auto|0|\d{1,4}(?:\.\d{1,6})?(?:px|em|rem|pt|%|ex|ch)?)`
const colors = String.raw`#[0-9a-f]{3,8}|[a-z]{3,24}|(?:rgb|hsl)a?\([\d\s,.%/deg]{5,40}\)`
const exactly = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'i')

const size = exactly(length)
const sizes = exactly(String.raw`(?:${length}(?:\s+|$)){1,4}`)
const color = exactly(colors)
const word = /^[a-z-]{1,24}$/i
const border = exactly(String.raw`(?:(?:${length}|${colors})(?:\s+|$)){1,3}`)
/**
 * Pattern of a vertical shift for an image or word inside its line. A negative shift is harmless,
 * because the line grows with the shift.
 */
const shift = exactly(`-?${length}`)

/**
 * Allowed CSS properties in the HTML of messages, with patterns of their allowed values. The
 * properties load nothing, and the values cannot contain `url(` or expressions.
 */
const styles: Record<string, RegExp[]> = {
  color: [color],
  'background-color': [color],
  'font-family': [/^(?:[\w\s,-]|"[\w\s,-]*"|'[\w\s,-]*'){1,200}$/],
  'font-size': [size, word],
  'font-style': [word],
  'font-weight': [word, /^\d{3}$/],
  'line-height': [size, word],
  'text-align': [word],
  'text-decoration': [word],
  'vertical-align': [word, shift],
  'white-space': [word],
  width: [size],
  'max-width': [size],
  'min-width': [size],
  height: [size],
  padding: [sizes],
  margin: [sizes],
  border: [border],
  'border-collapse': [word],
  'border-spacing': [sizes],
  'border-radius': [/^(?:\d{1,5}(?:\.\d{1,6})?(?:px|em|rem|pt|%)?(?:\s+|$)){1,4}$/i],
}
for (const side of ['top', 'right', 'bottom', 'left']) {
  styles[`padding-${side}`] = [size]
  styles[`margin-${side}`] = [size]
  styles[`border-${side}`] = [border]
}

const words = (list: string) => list.trim().split(/\s+/)

const layoutAttributes = words(`
  align valign width height bgcolor border cellpadding cellspacing colspan rowspan dir lang
  style title
`)

/** Names of HTML elements that are removed from a message together with their text. */
const removedWithContent = words(`
  script style textarea option noscript title template svg math iframe object xmp noembed
  noframes
`)

const options: Parameters<typeof sanitize>[1] = {
  allowedTags: words(`
    a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn
    div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li
    main mark ol p pre q s samp section small span strike strong sub summary sup table tbody
    td tfoot th thead tr tt u ul var
  `),
  allowedAttributes: {
    '*': layoutAttributes,
    a: ['href', 'target', 'rel'],
    img: ['src', 'alt'],
    font: ['color', 'face', 'size'],
    ol: ['start', 'type'],
    ul: ['type'],
    details: ['open', 'class'],
  },
  allowedClasses: { details: [historyClass, historyMark.attribs.class] },
  // The CSS parser of the sanitiser library is disabled, because it takes 20 µs per attribute.
  // `filterStyle` filters style attributes instead.
  parseStyleAttributes: false,
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  // Remote images are not allowed. Loading an image would reveal to the image's host who reads the
  // message, and when.
  allowedSchemesByTag: { img: ['cid', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  allowProtocolRelative: false,
  nonTextTags: removedWithContent,
  nestingLimit: 200,
  disallowedTagsMode: 'discard',
  transformTags: {
    blockquote: markHistory,
    div: markHistory,
    details: (tagName, attribs) => ({ tagName, attribs: withoutForgedMark(attribs) }),
    a: (tagName, { href, ...attribs }) => ({
      tagName,
      attribs: {
        ...(href !== undefined && isAbsolute(href) && { href: href.trim() }),
        ...attribs,
        target: '_blank',
        rel: 'noopener noreferrer nofollow',
      },
    }),
    img: (tagName, { src, ...attribs }) => ({
      tagName,
      attribs: src !== undefined && isEmbedded(src) ? { ...attribs, src } : attribs,
    }),
    '*': (tagName, attribs) => ({ tagName, attribs: filterLayout(attribs) }),
  },
}

/** Names of HTML attributes by which quoted earlier messages are recognized. */
const historyAttributes = ['class', 'id', 'type']

/** Options of the sanitiser that keep remote images, for a reader who has asked for them. */
const withRemoteImages: typeof options = {
  ...options,
  allowedSchemesByTag: { img: ['cid', 'data', 'http', 'https'] },
  transformTags: {
    ...options.transformTags,
    img: (tagName, { src, ...attribs }) => ({
      tagName,
      attribs:
        src !== undefined && (isEmbedded(src) || isAbsolute(src)) ? { ...attribs, src } : attribs,
    }),
  },
}

/** Rules for rewriting the HTML of messages before the sanitiser reads it. */
const rules: HtmlRules = {
  elements: new Set(options.allowedTags),
  attributes: new Set([...Object.values(options.allowedAttributes).flat(), ...historyAttributes]),
  // An HTML attribute that contains `&` is treated like a mark of quoted earlier messages, because
  // entities in attributes are decoded later.
  isExpanded: (name, attributes) =>
    isQuotedHistory(name, Object.fromEntries(attributes)) ||
    historyAttributes.some((key) => attributes.get(key)?.includes('&')),
  maxIndents: Number.POSITIVE_INFINITY,
  maxLength: 2 * 1024 * 1024,
}

/**
 * Maximum length of a style attribute, and of a single value in a style attribute. Longer
 * attributes and values are removed.
 */
const maxStyle = 2_048
const maxStyleValue = 200

/**
 * Filters the declarations in a style attribute. Keeps only declarations with an allowed property
 * and value, and only the last declaration of each property. Quotes are ignored when the
 * declarations are split: no allowed value contains a semicolon or an unbalanced quote.
 */
export function filterStyle(style: string): string {
  if (style.length > maxStyle) return ''
  const kept = new Map<string, string>()
  for (const declaration of withoutComments(style).split(';')) {
    const colon = declaration.indexOf(':')
    const property = declaration.slice(0, colon).trim().toLowerCase()
    if (colon === -1 || !Object.hasOwn(styles, property)) continue
    const [value = '', mark, ...rest] = declaration
      .slice(colon + 1)
      .trim()
      .split('!')
    const isImportant = mark?.trim().toLowerCase() === 'important'
    if (rest.length > 0 || (mark !== undefined && !isImportant)) continue
    if (isAllowedValue(property, value.trim()))
      kept.set(property, `${value.trim()}${isImportant ? '!important' : ''}`)
  }
  return [...kept].map(([property, value]) => `${property}:${value}`).join(';')
}

function isAllowedValue(property: string, value: string): boolean {
  return value.length <= maxStyleValue && styles[property]?.some((one) => one.test(value)) === true
}

function withoutComments(style: string): string {
  const [before = '', ...comments] = style.split('/*')
  const after = comments.map((part) => {
    const end = part.indexOf('*/')
    return end === -1 ? '' : part.slice(end + 2)
  })
  return before + after.join('')
}

function markHistory(tagName: string, attribs: Record<string, string>) {
  return isQuotedHistory(tagName, attribs) ? historyMark : { tagName, attribs }
}

/**
 * Removes the internal CSS class for quoted earlier messages from an HTML element that a message
 * already contains.
 */
function withoutForgedMark({ class: names = '', ...attribs }: Record<string, string>) {
  return names.split(/\s/).includes(historyClass) ? { ...attribs, class: historyClass } : attribs
}

const countAttributes = words('width height border cellpadding cellspacing colspan rowspan')

/** Removes styles of an HTML element that are not allowed, and very large sizes. */
function filterLayout(attribs: Record<string, string>): Record<string, string> {
  const result = { ...attribs }
  for (const key of countAttributes)
    if (!/^\s*\d{1,4}(?:\D|$)/.test(result[key] ?? '0')) delete result[key]
  if (result['style'] !== undefined) result['style'] = filterStyle(result['style'])
  return result
}

/**
 * True for a link that works regardless of the page that shows the message. A link such as
 * `https:path`, without two slashes, is relative to the URL of a page with an equal scheme.
 */
function isAbsolute(href: string): boolean {
  return /^(?:https?:[/\\]{2}|mailto:|tel:)/i.test(href.trim())
}

/**
 * True for an image that is contained in the message. SVG images are excluded, because they may
 * contain scripts.
 */
function isEmbedded(src: string): boolean {
  return (
    /^cid:/i.test(src) ||
    /^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[a-z0-9+/=\s]*$/i.test(src)
  )
}

/**
 * Sanitises HTML of a message for display inside a page: removes scripts, remote resources and
 * forms. Images that are contained in the message (`cid:`, `data:`) are kept. Quoted earlier
 * messages are collapsed, see `foldHistory`. If the HTML exceeds the limits of `simplifyHtml`, only
 * its text is returned, with line breaks. Sanitising the result again does not change it. Takes
 * linear time and never throws. The page must put the result into a block element with `overflow`
 * other than `visible`.
 *
 * @param remoteImages true if images of other hosts are kept. Loading them reveals to the hosts who
 *   reads the message, and when
 */
export function safeHtml(html: string, { remoteImages = false } = {}): string {
  return toSafeHtml(html, { remoteImages }).html
}

/** HTML that `toSafeHtml` has sanitised. */
export interface SafeHtml {
  html: string
  /** True if the end of the message was left out, because the HTML exceeds a limit. */
  isCut: boolean
}

/** Sanitises HTML like `safeHtml`, and reports whether the HTML exceeds a limit. */
export function toSafeHtml(html: string, { remoteImages = false } = {}): SafeHtml {
  const simple = simplifyHtml(html, rules)
  try {
    if (simple.isComplete) {
      const safe = sanitize(simple.html, remoteImages ? withRemoteImages : options)
      return { html: foldHistory(safe), isCut: simple.isCut }
    }
    const lines = simplifyHtml(toLines(stripTags(html)), rules)
    const isCut = html.length > maxStrippedLength || lines.isCut || !lines.isComplete
    return { html: sanitize(lines.html, options), isCut }
  } catch {
    return { html: '', isCut: true }
  }
}

/**
 * Converts the text of a message to HTML with line breaks. Each `<` is escaped, so that the message
 * cannot add markup.
 */
function toLines(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('\n', '<br>\n')
}
