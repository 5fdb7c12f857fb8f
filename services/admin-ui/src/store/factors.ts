import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/**
 * Replaces the password hash of a person. False if the stored hash is not `expected`, because
 * another request has changed the password. `isRenewal`: the password is the same, its hash has a
 * higher cost.
 */
export async function replacePassword(
  db: Db,
  id: string,
  change: { expected: string | null; password: string; isRenewal: boolean },
): Promise<boolean> {
  const { expected, password, isRenewal } = change
  const changedAt = isRenewal ? {} : { passwordChangedAt: sql<Date>`now()` }
  const { numUpdatedRows } = await db
    .updateTable('adminPeople')
    .set({ password, ...changedAt })
    .where('id', '=', id)
    .where('password', 'is not distinct from', expected)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Sets the password hash of a person, or null for no password, without a check of the current hash.
 */
export async function resetPassword(tx: Tx, id: string, password: string | null): Promise<void> {
  await tx
    .updateTable('adminPeople')
    .set({ password, passwordChangedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Deletes the seed of one-time codes and the recovery codes of a person. */
export async function deleteCodes(tx: Tx, id: string): Promise<void> {
  const none = { sealed: null, totpConfirmed: false, totpStep: '0', recoveryCodes: [] as string[] }
  await tx.updateTable('adminPeople').set(none).where('id', '=', id).execute()
}

/** Deletes one-time codes, recovery codes and passkeys of a person. The password stays. */
export async function deleteFactors(tx: Tx, id: string): Promise<void> {
  await deleteCodes(tx, id)
  await tx.deleteFrom('adminPasskeys').where('person', '=', id).execute()
}

/** Replaces the recovery codes of a person by their SHA-256 hashes. */
export async function storeRecoveryCodes(db: Db, id: string, hashes: string[]): Promise<void> {
  await db.updateTable('adminPeople').set({ recoveryCodes: hashes }).where('id', '=', id).execute()
}

/** Removes a recovery code by its hash. True for exactly one caller per code. */
export async function consumeRecoveryCode(db: Db, id: string, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('adminPeople')
    .set({ recoveryCodes: sql<string[]>`array_remove(recovery_codes, ${hash}::text)` })
    .where('id', '=', id)
    .where(sql<boolean>`${hash}::text = any(recovery_codes)`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
