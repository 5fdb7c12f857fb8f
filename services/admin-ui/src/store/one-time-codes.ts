import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { insertChallenge } from './challenges.ts'
import { deleteCodes } from './factors.ts'

/**
 * Kind of the challenge that exists until a person has confirmed the seed of new one-time codes.
 */
const kind = 'totp'
/** Time in minutes in which a person must confirm the seed of new one-time codes. */
const minutes = 15
/** Maximum number of codes with which a person may try to confirm a seed. */
const maxAttempts = 10

/**
 * Uses up the time step of a person's one-time code. True for exactly one caller over all replicas.
 * Earlier time steps are used up too, so that codes are accepted in their order only.
 */
export async function consumeStep(db: Db, person: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('adminPeople')
    .set({ totpStep: String(step) })
    .where('id', '=', person)
    .where('totpConfirmed', '=', true)
    .where('totpStep', '<', String(step))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Stores that a person must confirm the seed of new one-time codes. Replaces an earlier unconfirmed
 * seed.
 */
export function startEnrolment(db: Db, person: string, hash: string): Promise<void> {
  return db.transaction().execute(async (tx) => {
    await deleteEnrolments(tx, person)
    await insertChallenge(tx, { hash, kind, person, minutes })
  })
}

/**
 * Counts an attempt to confirm the seed of new one-time codes. Returns the stored hash. Undefined
 * if the seed has expired or its attempts are used up.
 */
export async function openEnrolment(db: Db, person: string): Promise<string | undefined> {
  const row = await db
    .updateTable('adminChallenges')
    .set({ attempts: sql<number>`attempts + 1` })
    .where('person', '=', person)
    .where('kind', '=', kind)
    .where('expiresAt', '>', sql<Date>`now()`)
    .where('attempts', '<', maxAttempts)
    .returning('hash')
    .executeTakeFirst()
  return row?.hash
}

/**
 * Activates the one-time codes of a person and uses up the time step of the first code. False if
 * the enrolment was replaced in the meantime, so that no other seed than the checked one is active.
 */
export async function confirmEnrolment(
  tx: Tx,
  { person, hash, step }: { person: string; hash: string; step: number },
): Promise<boolean> {
  const consumed = await tx
    .deleteFrom('adminChallenges')
    .where('hash', '=', hash)
    .where('person', '=', person)
    .executeTakeFirst()
  if (consumed.numDeletedRows === 0n) return false
  const { numUpdatedRows } = await tx
    .updateTable('adminPeople')
    .set({ totpConfirmed: true, totpStep: String(step) })
    .where('id', '=', person)
    .where('totpConfirmed', '=', false)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes the one-time codes and recovery codes of a person. */
export async function deleteOneTimeCodes(tx: Tx, person: string): Promise<void> {
  await deleteEnrolments(tx, person)
  await deleteCodes(tx, person)
}

async function deleteEnrolments(tx: Tx, person: string): Promise<void> {
  await tx
    .deleteFrom('adminChallenges')
    .where('person', '=', person)
    .where('kind', '=', kind)
    .execute()
}
