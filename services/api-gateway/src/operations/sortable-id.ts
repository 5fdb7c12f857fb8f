import { randomBytes } from 'node:crypto'

/** Id of 16 characters that sorts by its creation: eight bytes of time, four random bytes. */
export function newSortableId(): string {
  const id = randomBytes(12)
  id.writeBigUInt64BE(BigInt(Date.now()))
  return id.toString('base64url')
}
