import type { AttachedPart } from '../messages/outline.ts'

/** Maximum encoded size of an attachment that is read together with others. */
export const maxSmallBytes = 128 * 1024
/** Maximum encoded size of all attachments of one message that are read together. */
export const maxTogetherBytes = 4 * 1024 * 1024

/**
 * Attachments of a message that are read before the message is written. The others are read while
 * it is written. Pure.
 */
export function smallAttachments<A extends Pick<AttachedPart, 'size'>>(
  attachments: readonly A[],
): A[] {
  let left = maxTogetherBytes
  return attachments.filter(({ size }) => size <= maxSmallBytes && (left -= size) >= 0)
}
