import { field, type MimePart, parseMime } from '../../imap-script/mime-tree.ts'

/** Gmail resource `MessagePart`: a MIME part of a message. */
export interface FakePart {
  partId: string
  mimeType: string
  filename: string
  headers: { name: string; value: string }[]
  body: { size: number; data?: string; attachmentId?: string }
  parts?: FakePart[]
}

export interface PayloadOptions {
  /**
   * Size in bytes above which the Gmail fake turns a text into an attachment, like every part with
   * a file name.
   */
  largeTextBytes: number
  newAttachmentId: (partId: string) => string
}

export function parseSource(raw: Uint8Array): MimePart {
  return parseMime(Buffer.from(raw).toString('latin1'))
}

/** Payload of a Gmail message in the form of `format=full`. */
export function payloadOf(part: MimePart, options: PayloadOptions, partId = ''): FakePart {
  const { type, subtype } = part
  const mimeType = `${type}/${subtype}`
  const filename = filenameOf(part) ?? ''
  const common = { partId, mimeType, filename, headers: headersOf(part) }
  const children = part.parts.map((child, index) =>
    payloadOf(child, options, partId === '' ? `${index}` : `${partId}.${index}`),
  )
  if (type === 'multipart') return { ...common, body: { size: 0 }, parts: children }
  const content = contentOf(part)
  const isInline = type === 'text' && filename === '' && content.length <= options.largeTextBytes
  const body = isInline
    ? { size: content.length, ...(content.length > 0 && { data: toBase64(content) }) }
    : { size: content.length, attachmentId: options.newAttachmentId(partId) }
  return { ...common, body, ...(children.length > 0 && { parts: children }) }
}

/** MIME part of a Gmail message with the given part id. */
export function partAt(root: MimePart, partId: string): MimePart | undefined {
  if (partId === '') return root
  return partId
    .split('.')
    .reduce<MimePart | undefined>((part, index) => part?.parts[Number(index)], root)
}

export function contentOf({ header, body }: MimePart): Buffer {
  const encoding = field(header, 'content-transfer-encoding')?.toLowerCase()
  if (encoding === 'quoted-printable') return fromQuotedPrintable(body)
  return Buffer.from(body, encoding === 'base64' ? 'base64' : 'latin1')
}

/**
 * Header fields of a Gmail message in order and unfolded. The spelling of the names is unchanged.
 */
export function headersOf({ header }: Pick<MimePart, 'header'>): { name: string; value: string }[] {
  return [...header.matchAll(/^([^\r\n:\s]+):[ \t]*(.*(?:\r\n[ \t]+.*)*)/gm)].map(
    ([, name = '', value = '']) => ({
      name,
      value: Buffer.from(value.replace(/\r\n(?=[ \t])/g, ''), 'latin1').toString(),
    }),
  )
}

/**
 * Snippet (preview) of a Gmail message: the beginning of its text, with HTML characters escaped.
 */
export function snippetOf(root: MimePart): string {
  const text = textOf(root).replace(/\s+/g, ' ').trim().slice(0, 200)
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (each) => escapes[each] ?? '').replaceAll("'", '&#39;')
}

export function textOf(part: MimePart): string {
  if (part.type === 'multipart') return part.parts.map(textOf).find((text) => text !== '') ?? ''
  const isText = part.type === 'text' && filenameOf(part) === undefined
  return isText ? contentOf(part).toString() : ''
}

/** Encodes bytes as base64url with padding, as Gmail does. */
export function toBase64(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('base64url')
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

function filenameOf(part: MimePart): string | undefined {
  const disposition = field(part.header, 'content-disposition') ?? ''
  const [, name] = /filename="?([^";]+)/i.exec(disposition) ?? []
  return name ?? part.parameters.find(([key]) => key === 'name')?.[1]
}

function fromQuotedPrintable(text: string): Buffer {
  const joined = text.replace(/=\r?\n/g, '')
  return Buffer.from(
    joined.replace(/=([\dA-F]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  )
}
