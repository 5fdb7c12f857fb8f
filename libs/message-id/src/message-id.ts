import {
  fromBase64Url,
  invalidId,
  type MessagePosition,
  packPosition,
  positionBytes,
  unpackPosition,
} from './bytes.ts'

/** The id of a message: eleven characters that are safe in URLs. */
export function encodeMessageId(position: MessagePosition): string {
  return packPosition(position).toString('base64url')
}

/**
 * Where the message of an id is, or was.
 *
 * @throws AppError `invalid` `InvalidId`
 */
export function decodeMessageId(id: string): MessagePosition {
  const bytes = fromBase64Url(id)
  if (bytes?.length !== positionBytes) throw invalidId()
  return unpackPosition(bytes)
}
