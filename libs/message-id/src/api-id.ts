import { fromBase64Url, invalidId } from './message-id.ts'

/** Maximum number of characters in a message id of a mail provider. */
export const maxApiIdLength = 200

/** Maximum number of characters in the identifier of a message part at a mail provider. */
const maxPartIdLength = 512

/**
 * First byte of a text id or attachment id for a message at a mail provider. IMAP ids never start
 * with these bytes, because they start with a mailbox number below 2^31.
 */
const kinds = { text: 0xf1, attachment: 0xf2 } as const
type Kind = keyof typeof kinds

/**
 * True if a text can be an id of a mail provider: 1 to 200 visible ASCII characters (RFC 20 §5.2).
 * Ids are case-sensitive, and Posthorn does not interpret them. Gmail sends hexadecimal digits,
 * `Label_1` and `r-1`, Microsoft Graph base64url with `-`, `_` and `=`. Callers must percent-encode
 * ids in paths.
 */
export function isApiId(text: string): boolean {
  return text.length <= maxApiIdLength && /^[!-~]+$/.test(text)
}

/**
 * Checks the id of a message in an account with a mail API. Such an id is the id that the provider
 * uses.
 *
 * @throws AppError `invalid` `InvalidId` for a text that cannot be an id of a provider
 */
export function checkApiMessageId(id: string): string {
  if (!isApiId(id)) throw invalidId()
  return id
}

/**
 * Encodes the id for the text of a message at a mail API. The id contains no part number, because
 * it stands for the whole text.
 */
export function encodeApiTextId(message: string): string {
  return pack('text', message, '')
}

/**
 * Decodes the id for the text of a message at a mail API. Returns the id of the message.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeApiTextId(id: string): string {
  const { message, part } = unpack('text', id)
  if (part !== '') throw invalidId()
  return message
}

/** Reference to a part of a message at a mail provider: message id and part id. */
export interface ApiPartRef {
  /** Id of the message at the mail provider. */
  id: string
  /**
   * Id of the message part: up to 512 visible ASCII characters. Empty if the message consists only
   * of a file.
   */
  partId: string
}

/** Encodes the id of an attachment of a message at a mail API. The id has up to 952 characters. */
export function encodeApiAttachmentId({ id, partId }: ApiPartRef): string {
  return pack('attachment', id, partId)
}

/**
 * Decodes the id of an attachment of a message at a mail API.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeApiAttachmentId(id: string): ApiPartRef {
  const { message, part } = unpack('attachment', id)
  return { id: message, partId: part }
}

/**
 * Encodes the id of a text or attachment: a byte for the kind, the message id, NUL and the part id
 * as base64url. Message ids and part ids contain no NUL.
 */
function pack(kind: Kind, message: string, part: string): string {
  if (!isApiId(message) || !isPartId(part)) throw new RangeError('not an id of a provider')
  const bytes = Buffer.from(`\0${message}\0${part}`, 'latin1')
  bytes[0] = kinds[kind]
  return bytes.toString('base64url')
}

/**
 * Decodes the id of a text or attachment that was encoded by `pack`. Only one encoding is accepted
 * for each pair of message id and part id.
 */
function unpack(kind: Kind, id: string): { message: string; part: string } {
  const bytes = fromBase64Url(id)
  if (bytes?.[0] !== kinds[kind]) throw invalidId()
  const [message = '', part, ...others] = bytes.toString('latin1', 1).split('\0')
  if (!isApiId(message) || part === undefined || !isPartId(part) || others.length > 0)
    throw invalidId()
  return { message, part }
}

function isPartId(text: string): boolean {
  return text.length <= maxPartIdLength && /^[!-~]*$/.test(text)
}
