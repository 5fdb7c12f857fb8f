import sanitize from 'sanitize-html'
import { limitHtml } from './html-to-text.ts'
import { foldHistory, historyClass, historyMark, isQuotedHistory } from './fold-history.ts'

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
  'font-family': [/^[\w\s,"'-]{1,200}$/],
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
  allowedStyles: { '*': styles },
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
  },
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
 * Never throws; cuts long input.
 */
export function safeHtml(html: string): string {
  try {
    return foldHistory(sanitize(limitHtml(html), options))
  } catch {
    return ''
  }
}
