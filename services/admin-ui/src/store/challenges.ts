import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Unfinished sign-in that the browser continues with a ticket. */
export interface NewChallenge {
  /** SHA-256 (hex) of the ticket with which the browser continues the sign-in. */
  hash: string
  kind: string
  person: string | null
  content?: Record<string, unknown>
  /** Minutes until the unfinished sign-in expires. */
  minutes: number
}

export interface StoredChallenge {
  person: string | null
  content: Record<string, unknown>
}

export async function insertChallenge(db: Db, challenge: NewChallenge): Promise<void> {
  const { minutes, content = {}, ...row } = challenge
  await db
    .insertInto('adminChallenges')
    .values({
      ...row,
      content: JSON.stringify(content),
      expiresAt: sql<Date>`now() + make_interval(mins => ${minutes})`,
    })
    .execute()
}

/**
 * Inserts an unfinished sign-in (challenge) for an enabled person whose password hash is still
 * `password`. False if the person was changed in the meantime.
 */
export async function insertChallengeFor(
  tx: Tx,
  challenge: NewChallenge & { person: string },
  password: string,
): Promise<boolean> {
  const person = await tx
    .selectFrom('adminPeople')
    .select('id')
    .where('id', '=', challenge.person)
    .where('password', '=', password)
    .where('disabled', '=', false)
    .forUpdate()
    .executeTakeFirst()
  if (person === undefined) return false
  await insertChallenge(tx, challenge)
  return true
}

export interface ChallengeKey {
  hash: string
  kind: string
}

/**
 * Counts an attempt to complete an unfinished sign-in (challenge). Undefined if the challenge is
 * unknown, expired or used up.
 */
export function countChallengeAttempt(
  db: Db,
  { hash, kind }: ChallengeKey,
  maxAttempts: number,
): Promise<StoredChallenge | undefined> {
  return db
    .updateTable('adminChallenges')
    .set({ attempts: sql<number>`attempts + 1` })
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .where('expiresAt', '>', sql<Date>`now()`)
    .where('attempts', '<', maxAttempts)
    .returning(['person', 'content'])
    .executeTakeFirst()
}

/** Deletes an unfinished sign-in (challenge). Returns the challenge to exactly one caller. */
export function consumeChallenge(
  db: Db,
  { hash, kind }: ChallengeKey,
): Promise<StoredChallenge | undefined> {
  return db
    .deleteFrom('adminChallenges')
    .where('hash', '=', hash)
    .where('kind', '=', kind)
    .where('expiresAt', '>', sql<Date>`now()`)
    .returning(['person', 'content'])
    .executeTakeFirst()
}

/**
 * Counts the unexpired challenges (unfinished sign-ins) of a kind that one network address has
 * requested.
 */
export async function countChallenges(
  db: Db,
  { kind, network }: { kind: string; network: string },
): Promise<number> {
  const { count } = await db
    .selectFrom('adminChallenges')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('kind', '=', kind)
    .where(sql<string>`content ->> 'network'`, '=', network)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return count
}

/** Deletes the unfinished sign-ins of a person. */
export async function deleteChallengesOf(db: Db, person: string): Promise<void> {
  await db.deleteFrom('adminChallenges').where('person', '=', person).execute()
}

export async function deleteExpiredChallenges(db: Db): Promise<void> {
  await db
    .deleteFrom('adminChallenges')
    .where('expiresAt', '<', sql<Date>`now()`)
    .execute()
}
