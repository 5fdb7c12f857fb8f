import { decodeFrontCoded, encodeFrontCoded } from './front-coded-leaf.ts'
import type { IndexedMessage } from './indexed-message.ts'
import { decodeColumns, encodeColumns } from './leaf-columns.ts'

/**
 * Formats of stored leaves (blocks of the message index). The first byte of a leaf is its format.
 */
export const leafFormats = { frontCoded: 2, columns: 3 } as const

export type LeafFormat = (typeof leafFormats)[keyof typeof leafFormats]

/**
 * Format in which workers store leaves (blocks of the message index). Front coding is the only
 * format that earlier releases read, which run beside this release during an upgrade and after a
 * rollback. The next release can store columns, because this release reads columns (decision 0094).
 */
const storedFormat: LeafFormat = leafFormats.frontCoded

/** Packs messages with sorted ids into the content of a leaf (block of the message index). Pure. */
export function encodeLeaf(
  messages: readonly IndexedMessage[],
  format: LeafFormat = storedFormat,
): Buffer {
  const encode = format === leafFormats.columns ? encodeColumns : encodeFrontCoded
  return Buffer.concat([Buffer.of(format), encode(messages)])
}

/**
 * Unpacks the messages of a leaf (block of the message index).
 *
 * @throws Error if the content is damaged. Pure.
 */
export function decodeLeaf(content: Uint8Array): IndexedMessage[] {
  const bytes = content.subarray(1)
  if (content[0] === leafFormats.frontCoded) return decodeFrontCoded(bytes)
  if (content[0] === leafFormats.columns) return decodeColumns(bytes)
  throw new Error('unreadable format of an index leaf')
}
