import { decodeFrontCoded, encodeFrontCoded } from './front-coded-leaf.ts'
import type { IndexedMessage } from './indexed-message.ts'
import { decodeColumns, encodeColumns } from './leaf-columns.ts'

/** First byte of a stored leaf of the index. Another value is a format of another release. */
export const leafFormats = { frontCoded: 2, columns: 3 } as const

export type LeafFormat = (typeof leafFormats)[keyof typeof leafFormats]

/**
 * Format of leaves (blocks of the message index) that workers store. Earlier builds read
 * front-coded leaves only. Earlier builds run beside this release during an upgrade, and after a
 * rollback. The next release stores columns, because this release reads columns (decision 0094).
 */
const storedFormat: LeafFormat = leafFormats.frontCoded

/** Packs messages with sorted ids into the content of a leaf of the stored message index. Pure. */
export function encodeLeaf(
  messages: readonly IndexedMessage[],
  format: LeafFormat = storedFormat,
): Buffer {
  const encode = format === leafFormats.columns ? encodeColumns : encodeFrontCoded
  return Buffer.concat([Buffer.of(format), encode(messages)])
}

/**
 * Unpacks the messages of a leaf of the stored message index. @throws Error if the content is
 * damaged. Pure.
 */
export function decodeLeaf(content: Uint8Array): IndexedMessage[] {
  const bytes = content.subarray(1)
  if (content[0] === leafFormats.frontCoded) return decodeFrontCoded(bytes)
  if (content[0] === leafFormats.columns) return decodeColumns(bytes)
  throw new Error('unreadable format of an index leaf')
}
