import sanitize from 'sanitize-html'
import { foldHistory, historyClass, historyMark, isQuotedHistory } from './fold-history.ts'
import { simplifyHtml } from './simplify-html.ts'
import { stripTags } from './strip-tags.ts'

const size = /^(?:auto|0|-?\d{1,5}(?:\.\d{1,3})?(?:px|em|rem|pt|%|ex|ch)?)$/i
const sizes = /^(?:(?:auto|0|-?\d{1,5}(?:\.\d{1,3})?(?:px|em|rem|pt|%)?)(?:\s+|$)){1,4}$/i
const color =
  /^(?:#[0-9a-f]{3,8}|[a-z]{3,24}|rgba?\([\d\s,.%/]{5,40}\)|hsla?\([\d\s,.%/deg]{5,40}\))$/i
const word = /^[a-z-]{1,24}$/i
const border = /^[#a-z0-9\s.(),%-]{1,60}$/i

/** Allowed CSS: properties that load nothing, values that cannot contain `url(` or expressions. */
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
  'vertical-align': [word, size],
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
  'border-radius': [sizes],
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

/** Elements that are removed together with their text. */
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
    a: ['href', 'name', 'target', 'rel'],
    img: ['src', 'alt'],
    font: ['color', 'face', 'size'],
    ol: ['start', 'type'],
    ul: ['type'],
    details: ['open', 'class'],
  },
  allowedClasses: { details: [historyClass] },
  // `filterStyle` replaces the CSS parser of the library, which takes 20 µs per attribute.
  parseStyleAttributes: false,
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  // Loading a remote image would reveal to its host who reads the message, and when.
  allowedSchemesByTag: { img: ['cid', 'data'] },
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  allowProtocolRelative: false,
  nonTextTags: removedWithContent,
  nestingLimit: 200,
  disallowedTagsMode: 'discard',
  transformTags: {
    blockquote: markHistory,
    div: markHistory,
    a: (tagName, attribs) => ({
      tagName,
      attribs: { ...attribs, target: '_blank', rel: 'noopener noreferrer nofollow' },
    }),
    img: (tagName, { src, ...attribs }) => ({
      tagName,
      attribs: src !== undefined && isEmbedded(src) ? { ...attribs, src } : attribs,
    }),
    '*': (tagName, { style, ...attribs }) => ({
      tagName,
      attribs: style === undefined ? attribs : { ...attribs, style: filterStyle(style) },
    }),
  },
}

/** Input of the sanitiser; the attributes include those that mark quoted history. */
const rules = {
  elements: new Set(options.allowedTags),
  attributes: new Set([...Object.values(options.allowedAttributes).flat(), 'class', 'id', 'type']),
  maxIndents: Number.POSITIVE_INFINITY,
  maxLength: 2 * 1024 * 1024,
}

/** Length limits of a style attribute and of one value in it; longer ones are removed. */
const maxStyle = 2_048
const maxStyleValue = 200

/**
 * Keeps the declarations with an allowed property and value; the last one of a property. Splits
 * without regard to quotes: no allowed value contains a semicolon or an odd quote.
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
      kept.set(property, `${value.trim()}${isImportant ? ' !important' : ''}`)
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

/** True for an image inside the message. SVG is excluded because it may contain scripts. */
function isEmbedded(src: string): boolean {
  return (
    /^cid:/i.test(src) ||
    /^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[a-z0-9+/=\s]*$/i.test(src)
  )
}

/**
 * Sanitises HTML for display inside a page: no scripts, no remote resources, no forms. Images that
 * are part of the message (`cid:`, `data:`) stay. Collapses quoted history, see `foldHistory`.
 * Beyond the limits of `simplifyHtml`, returns the text in lines. Linear in time; never throws.
 */
export function safeHtml(html: string): string {
  const simple = simplifyHtml(html, rules)
  if (simple === undefined) return toLines(stripTags(html))
  try {
    return foldHistory(sanitize(simple, options))
  } catch {
    return ''
  }
}

/** HTML of text with entities. Without `<`, it contains no markup of the message. */
function toLines(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br />\n')
}
