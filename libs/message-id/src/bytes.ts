import { AppError } from '@posthorn/errors'

/** Where a message is: the account's number of its folder (made anew when UIDVALIDITY changes) and its UID there. */
export interface MessagePosition {
  mailbox: number
  uid: number
}

const maxUint32 = 0xffff_ffff
/** RFC 3501 §6.4.5 part numbers as text; far longer than real structures are. */
const maxPartLength = 255

export const positionBytes = 8

/** What is thrown for anything that is not an id of ours. */
export function invalidId(): AppError {
  return new AppError('invalid', 'Invalid message, text or attachment identifier', {
    code: 'InvalidId',
  })
}

/** The two numbers as four bytes each, big endian. */
export function packPosition({ mailbox, uid }: MessagePosition): Buffer {
  if (!isUint32(mailbox) || !isUint32(uid))
    throw new RangeError('mailbox and uid are whole numbers from 1 to 2^32-1')
  const bytes = Buffer.alloc(positionBytes)
  bytes.writeUInt32BE(mailbox, 0)
  bytes.writeUInt32BE(uid, 4)
  return bytes
}

export function unpackPosition(bytes: Buffer): MessagePosition {
  if (bytes.length < positionBytes) throw invalidId()
  const position = { mailbox: bytes.readUInt32BE(0), uid: bytes.readUInt32BE(4) }
  if (position.mailbox === 0 || position.uid === 0) throw invalidId()
  return position
}

/** Node reads base64url leniently; here each value has exactly one spelling, so that ids can be compared as text. */
export function fromBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

/** The number of a body part, such as `2.1` (RFC 9051 §6.4.5.1). */
export function isPart(part: string): boolean {
  return part.length <= maxPartLength && /^[1-9]\d{0,8}(?:\.[1-9]\d{0,8})*$/.test(part)
}

function isUint32(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= maxUint32
}
