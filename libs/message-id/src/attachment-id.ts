import {
  decodePosition,
  encodePosition,
  invalidId,
  isPart,
  type MessagePosition,
} from './message-id.ts'

interface AttachmentPosition extends MessagePosition {
  /** Number of the body part that contains the attachment, such as `2.1`. */
  part: string
}

/** Encodes the id of an attachment from its position in an IMAP mailbox. */
export function encodeAttachmentId({ part, ...position }: AttachmentPosition): string {
  if (!isPart(part)) throw new RangeError(`not a body part: ${part}`)
  return encodePosition(position, part)
}

/**
 * Decodes the id of an attachment of a message in an IMAP account.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeAttachmentId(id: string): AttachmentPosition {
  const { position, parts: part } = decodePosition(id)
  if (!isPart(part)) throw invalidId()
  return { ...position, part }
}
