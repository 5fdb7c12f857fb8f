import { createHash } from 'node:crypto'
import { escapeHtml } from './html-to-text.ts'
import { toSingleLine } from './reject-injection.ts'

// Functions for the HTML body of outgoing messages: inline images and the hidden preview line.

/**
 * Attachment of an outgoing message, with its content as bytes. Name and types may come from
 * foreign messages, so they are cleaned later.
 */
export interface AttachedContent {
  content: Buffer
  filename?: string
  contentType?: string
  contentDisposition?: 'inline' | 'attachment'
  cid?: string
}

/**
 * Pattern of an HTML attribute with an embedded image, up to the image data:
 * `src="data:image/png;base64,`.
 */
const imageStart =
  /(\bsrc\s{0,20}=\s{0,20}(["']))\s{0,20}data:(image\/[\w.+-]{1,64})((?:;[\w=.-]{1,64}){0,8}),/gi

/**
 * Replaces `data:` images in the HTML of a message by attachments with `cid:` references (RFC
 * 2392), because most mail clients do not show `data:` images. Identical images are attached only
 * once.
 */
export function inlineImages(html: string): { html: string; attached: AttachedContent[] } {
  const images = new Map<string, AttachedContent>()
  const pieces: string[] = []
  let end = 0
  imageStart.lastIndex = 0
  for (let match = imageStart.exec(html); match; match = imageStart.exec(html)) {
    const [, before = '', quote = '"', type = '', parameters = ''] = match
    const from = imageStart.lastIndex
    const to = html.indexOf(quote, from)
    if (to === -1) break
    const image = toAttachment(html.slice(from, to), { type, parameters, number: images.size + 1 })
    if (image?.cid !== undefined) {
      if (!images.has(image.cid)) images.set(image.cid, image)
      pieces.push(html.slice(end, match.index), before, `cid:${image.cid}`)
      end = to
    }
    imageStart.lastIndex = to
  }
  pieces.push(html.slice(end))
  return { html: pieces.join(''), attached: [...images.values()] }
}

interface DataUrlImage {
  type: string
  parameters: string
  number: number
}

/**
 * Converts an image that is embedded in HTML to an attachment. Undefined if the image data cannot
 * be decoded. The HTML is then not changed.
 */
function toAttachment(
  data: string,
  { type, parameters, number }: DataUrlImage,
): AttachedContent | undefined {
  const content = decodeData(data, /;base64$/i.test(parameters))
  if (content === undefined || content.length === 0) return undefined
  const digest = createHash('sha256').update(type).update(content).digest('hex').slice(0, 32)
  const extension = /^image\/(?:x-)?([a-z0-9]{1,8})/i.exec(type)?.[1]?.toLowerCase() ?? 'bin'
  return {
    content,
    contentType: type.toLowerCase(),
    contentDisposition: 'inline',
    cid: `${digest}@inline`,
    filename: `image-${number}.${extension}`,
  }
}

function decodeData(data: string, isBase64: boolean): Buffer | undefined {
  try {
    const text = data.includes('%') ? decodeURIComponent(data) : data
    return Buffer.from(text, isBase64 ? 'base64' : 'utf8')
  } catch {
    return undefined // a percent sign in the data URL without two hexadecimal digits
  }
}

/**
 * Invisible text after the hidden preview line of a message. The text fills the preview in message
 * lists, which would otherwise continue with the beginning of the body.
 */
const padding = '&#8203;&#847;&nbsp;'.repeat(60)
const hiddenStyle =
  'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;' +
  'font-size:1px;line-height:1px;color:transparent'

/**
 * Inserts a hidden first line into the HTML of a message. Message lists show this line next to the
 * subject.
 */
export function addPreheader(html: string, previewText: string): string {
  const line = escapeHtml(toSingleLine(previewText).trim())
  if (line === '') return html
  const at = startOfBody(html)
  const hidden = `<div style="${hiddenStyle}">${line}${padding}</div>`
  return html.slice(0, at) + hidden + html.slice(at)
}

/**
 * Position in the HTML of a message after the body tag. Without a body tag, the position after
 * everything that must precede the body.
 */
function startOfBody(html: string): number {
  const body = /<body(?:\s[^<>]{0,10000})?>/i.exec(html)
  if (body) return body.index + body[0].length
  const head = html.search(/<\/head\s{0,10}>/i)
  if (head !== -1) return html.indexOf('>', head) + 1
  return (
    /^\s{0,1000}(?:<!doctype[^<>]{0,1000}>)?\s{0,1000}(?:<html(?:\s[^<>]{0,1000})?>)?/i.exec(
      html,
    )?.[0].length ?? 0
  )
}
