import {
  fromBase64Url,
  invalidId,
  isPart,
  type MessagePosition,
  packPosition,
  positionBytes,
  unpackPosition,
} from './bytes.ts'

export interface AttachmentPosition extends MessagePosition {
  /** Number of the body part, such as `2.1`. */
  part: string
}

/** Encodes the position of an attachment. */
export function encodeAttachmentId({ part, ...position }: AttachmentPosition): string {
  if (!isPart(part)) throw new RangeError(`not a body part: ${part}`)
  return Buffer.concat([packPosition(position), Buffer.from(part, 'latin1')]).toString('base64url')
}

/**
 * Decodes the id of an attachment.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeAttachmentId(id: string): AttachmentPosition {
  const bytes = fromBase64Url(id)
  if (!bytes) throw invalidId()
  const position = unpackPosition(bytes)
  const part = bytes.subarray(positionBytes).toString('latin1')
  if (!isPart(part)) throw invalidId()
  return { ...position, part }
}
