import {
  fromBase64Url,
  invalidId,
  type MessagePosition,
  packPosition,
  positionBytes,
  unpackPosition,
} from './bytes.ts'

/** Encodes the id of a message: eleven URL-safe characters. */
export function encodeMessageId(position: MessagePosition): string {
  return packPosition(position).toString('base64url')
}

/**
 * Decodes the id of a message. The message may be deleted.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeMessageId(id: string): MessagePosition {
  const bytes = fromBase64Url(id)
  if (bytes?.length !== positionBytes) throw invalidId()
  return unpackPosition(bytes)
}
