import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Maximum number of passkeys of a person. */
export const maxPasskeys = 20

/** Passkey of a person, with the public key that checks its signatures. */
export interface StoredPasskey {
  id: string
  person: string
  publicKey: Buffer
  counter: string
  transports: string[]
}

/** Passkey in the list of a person's passkeys. */
export interface ListedPasskey {
  id: string
  name: string
  transports: string[]
  createdAt: Date
  usedAt: Date | null
}

export interface NewPasskeyRow {
  id: string
  person: string
  publicKey: Buffer
  counter: number
  transports: string[]
  name: string
}

/**
 * Inserts a passkey of a person. Returns `full` for a person with the maximum number of passkeys,
 * and `exists` for a stored id. The lock on the row of the person makes concurrent inserts wait.
 */
export async function insertPasskey(
  tx: Tx,
  passkey: NewPasskeyRow,
): Promise<'done' | 'full' | 'exists'> {
  const { person, counter } = passkey
  await tx.selectFrom('adminPeople').select('id').where('id', '=', person).forUpdate().execute()
  if ((await listPasskeys(tx, person)).length >= maxPasskeys) return 'full'
  const inserted = await tx
    .insertInto('adminPasskeys')
    .values({ ...passkey, counter: String(counter) })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted === undefined ? 'exists' : 'done'
}

/** Lists the passkeys of a person, oldest first. */
export function listPasskeys(db: Db, person: string): Promise<ListedPasskey[]> {
  return db
    .selectFrom('adminPasskeys')
    .select(['id', 'name', 'transports', 'createdAt', 'usedAt'])
    .where('person', '=', person)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export function findPasskey(db: Db, id: string): Promise<StoredPasskey | undefined> {
  return db
    .selectFrom('adminPasskeys')
    .select(['id', 'person', 'publicKey', 'counter', 'transports'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Stores the signature counter of a used passkey. False if the counter did not increase, because
 * another use was faster or the passkey was cloned (WebAuthn §6.1.1). Passkeys without a counter
 * send 0.
 */
export async function markPasskeyUsed(
  db: Db,
  { id, counter }: { id: string; counter: number },
): Promise<boolean> {
  const value = String(counter)
  const { numUpdatedRows } = await db
    .updateTable('adminPasskeys')
    .set({ counter: value, usedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where(sql<boolean>`(counter < ${value}::bigint or (counter = 0 and ${value}::bigint = 0))`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ids of a passkey and its person. People change their own passkeys only. */
export interface PasskeyKey {
  id: string
  person: string
}

export async function renamePasskey(
  db: Db,
  { id, person }: PasskeyKey,
  name: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('adminPasskeys')
    .set({ name })
    .where('id', '=', id)
    .where('person', '=', person)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Deletes a passkey of a person. Returns `last` for the only way in which the person can sign in,
 * which is not deleted.
 */
export async function deletePasskey(
  tx: Tx,
  { id, person }: PasskeyKey,
): Promise<'done' | 'missing' | 'last'> {
  const owner = await tx
    .selectFrom('adminPeople')
    .select(['password', 'oidcSubject'])
    .where('id', '=', person)
    .forUpdate()
    .executeTakeFirst()
  const passkeys = await listPasskeys(tx, person)
  if (!passkeys.some((passkey) => passkey.id === id)) return 'missing'
  const hasOther = passkeys.length > 1 || owner?.password || owner?.oidcSubject
  if (!hasOther) return 'last'
  await tx.deleteFrom('adminPasskeys').where('id', '=', id).where('person', '=', person).execute()
  return 'done'
}
