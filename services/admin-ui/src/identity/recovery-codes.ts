import { randomInt } from 'node:crypto'
import type { Db } from '@posthorn/db'
import { consumeRecoveryCode, storeRecoveryCodes } from '../store/factors.ts'
import { hashSecret } from './secrets.ts'

/** Characters of recovery codes: Base32 without the letters and digits that look alike. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const codes = 10
/** Number of characters of a recovery code: 79 bits, too many to find a code by its hash. */
const length = 16

/**
 * Replaces the recovery codes of a person. Returns ten new codes, such as
 * `abcd-efgh-jkmn-pqrs`, of which only hashes are stored.
 */
export async function replaceRecoveryCodes(db: Db, person: string): Promise<string[]> {
  const created = Array.from({ length: codes }, newCode)
  await storeRecoveryCodes(
    db,
    person,
    created.map((code) => hashSecret(plain(code))),
  )
  return created
}

/** True if an entered code has the form of a recovery code instead of a one-time code. */
export function isRecoveryCode(text: string): boolean {
  return plain(text).length === length
}

/**
 * Uses up a recovery code of a person. True for exactly one use. The lookup by hash takes the same
 * time for all wrong codes.
 */
export function useRecoveryCode(db: Db, person: string, code: string): Promise<boolean> {
  return consumeRecoveryCode(db, person, hashSecret(plain(code)))
}

function newCode(): string {
  const characters = Array.from({ length }, () => alphabet[randomInt(alphabet.length)])
  return characters.join('').replace(/.{4}(?=.)/g, '$&-')
}

function plain(code: string): string {
  return code.toLowerCase().replace(/[\s-]/g, '')
}
