import { AppError } from '@posthorn/errors'

/**
 * Position of a message in an IMAP account: the number of its mailbox within the account, and its
 * UID. A mailbox gets a new number when its UIDVALIDITY changes.
 */
export interface MessagePosition {
  mailbox: number
  uid: number
}

const maxUint32 = 0xffff_ffff
/** Maximum number of a mailbox, which is a positive `integer` of Postgres. */
const maxMailbox = 0x7fff_ffff
/**
 * Maximum length of the number of a body part (RFC 9051 §6.4.5.1). Part numbers of real messages
 * have fewer than 30 characters.
 */
const maxPartLength = 255

/** Length in bytes of the encoded position of a message in an IMAP account. */
export const positionBytes = 8

/** Creates the error for a text that is not a valid id of a message, text or attachment. */
export function invalidId(): AppError {
  return new AppError('invalid', 'Invalid message, text or attachment identifier', {
    code: 'InvalidId',
  })
}

/**
 * Encodes the position of a message and optional part numbers as base64url: mailbox number and UID
 * as four bytes each, big endian, followed by `parts`.
 */
export function encodePosition({ mailbox, uid }: MessagePosition, parts: string): string {
  if (!isPosition({ mailbox, uid }))
    throw new RangeError('mailbox must be an integer from 1 to 2^31-1, uid from 1 to 2^32-1')
  const bytes = Buffer.alloc(positionBytes)
  bytes.writeUInt32BE(mailbox, 0)
  bytes.writeUInt32BE(uid, 4)
  return Buffer.concat([bytes, Buffer.from(parts, 'latin1')]).toString('base64url')
}

/**
 * Decodes the position of a message that was encoded by `encodePosition`.
 * @throws AppError `invalid` `InvalidId`
 */
export function decodePosition(id: string): { position: MessagePosition; parts: string } {
  const bytes = fromBase64Url(id)
  if (!bytes || bytes.length < positionBytes) throw invalidId()
  const position = { mailbox: bytes.readUInt32BE(0), uid: bytes.readUInt32BE(4) }
  if (!isPosition(position)) throw invalidId()
  return { position, parts: bytes.toString('latin1', positionBytes) }
}

/**
 * Decodes the bytes of a message, text or attachment id from base64url. Only the canonical encoding
 * is accepted, so that ids can be compared as texts.
 */
export function fromBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/** True if a text is the number of a body part, such as `2.1` (RFC 9051 §6.4.5.1). */
export function isPart(part: string): boolean {
  return part.length <= maxPartLength && /^[1-9]\d{0,8}(?:\.[1-9]\d{0,8})*$/.test(part)
}

function isPosition({ mailbox, uid }: MessagePosition): boolean {
  return isNumber(mailbox, maxMailbox) && isNumber(uid, maxUint32)
}

function isNumber(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= max
}

/** Encodes the id of a message in an IMAP account. The id has eleven URL-safe characters. */
export function encodeMessageId(position: MessagePosition): string {
  return encodePosition(position, '')
}

/**
 * Decodes the id of a message in an IMAP account. The message itself may have been deleted.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeMessageId(id: string): MessagePosition {
  const { position, parts } = decodePosition(id)
  if (parts !== '') throw invalidId()
  return position
}
