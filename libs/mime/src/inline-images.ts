import { createHash } from 'node:crypto'
import type { AttachedContent } from './attached-content.ts'

/** Up to where an image's address begins: `src="data:image/png;base64,`. */
const start =
  /(\bsrc\s{0,20}=\s{0,20}(["']))\s{0,20}data:(image\/[\w.+-]{1,64})((?:;[\w=.-]{1,64}){0,8}),/gi

export interface InlinedHtml {
  html: string
  attached: AttachedContent[]
}

/**
 * Images that stand in the HTML itself (`data:`) become attachments that it refers to (RFC 2392): most mail programs show nothing else.
 * One that is there twice is attached once.
 */
export function inlineImages(html: string): InlinedHtml {
  const images = new Map<string, AttachedContent>()
  const pieces: string[] = []
  let end = 0
  start.lastIndex = 0
  for (let match = start.exec(html); match; match = start.exec(html)) {
    const [, before = '', quote = '"', type = '', parameters = ''] = match
    const from = start.lastIndex
    const to = html.indexOf(quote, from)
    if (to === -1) break
    const image = imageOf(html.slice(from, to), { type, parameters, number: images.size + 1 })
    if (image?.cid !== undefined) {
      if (!images.has(image.cid)) images.set(image.cid, image)
      pieces.push(html.slice(end, match.index), before, `cid:${image.cid}`)
      end = to
    }
    start.lastIndex = to
  }
  pieces.push(html.slice(end))
  return { html: pieces.join(''), attached: [...images.values()] }
}

interface DataUrlImage {
  type: string
  parameters: string
  number: number
}

/** Undefined for what is no image at all: it stays where it is. */
function imageOf(
  data: string,
  { type, parameters, number }: DataUrlImage,
): AttachedContent | undefined {
  const content = decoded(data, /;base64$/i.test(parameters))
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

function decoded(data: string, isBase64: boolean): Buffer | undefined {
  try {
    const text = data.includes('%') ? decodeURIComponent(data) : data
    return Buffer.from(text, isBase64 ? 'base64' : 'utf8')
  } catch {
    return undefined // a percent sign that begins no escape
  }
}
