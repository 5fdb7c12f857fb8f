import { randomBytes } from 'node:crypto'

/**
 * Creates an id of 16 characters: eight bytes of time, then four random bytes. Ids sort by their
 * time of creation.
 */
export function newSortableId(): string {
  const id = randomBytes(12)
  id.writeBigUInt64BE(BigInt(Date.now()))
  return id.toString('base64url')
}
