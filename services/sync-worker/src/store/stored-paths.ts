import { createHash } from 'node:crypto'
import type { Db } from '@posthorn/db'

const hashBytes = 8

/** The paths that an account has rows for, as hashes: a path among them without a row is one whose row was lost. */
export type StoredPaths = ReadonlySet<string>

export function hashPath(path: string): string {
  return createHash('sha256')
    .update(path)
    .digest('hex')
    .slice(0, hashBytes * 2)
}

/** Undefined where they were never stored. */
export async function findStoredPaths(db: Db, account: string): Promise<StoredPaths | undefined> {
  const row = await db
    .selectFrom('accountStates')
    .select('knownMailboxes')
    .where('account', '=', account)
    .executeTakeFirst()
  const stored = row?.knownMailboxes
  if (!stored) return undefined
  const hex = stored.toString('hex')
  const known = new Set<string>()
  for (let at = 0; at < hex.length; at += hashBytes * 2)
    known.add(hex.slice(at, at + hashBytes * 2))
  return known
}

/** As they are stored. */
export function encodePathHashes(paths: Iterable<string>): Buffer {
  return Buffer.from([...paths].map(hashPath).join(''), 'hex')
}
