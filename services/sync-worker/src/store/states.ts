import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import type { Standing } from '../sessions/states.ts'

const columns = [
  'state',
  'stateEpoch',
  'lastError',
  'errorCount',
  'authFailingSince',
  'authFailureDisabledAt',
  'accountVersion',
  'initializedAt',
  'syncTime',
  'syncError',
] as const

/** Makes the row every write about an account goes by. Nothing happens where the account is gone or has one. */
export async function ensureStanding(db: Db, account: string): Promise<void> {
  await sql`
    insert into account_states (account, state)
    select account, 'new' from accounts where account = ${account}
    on conflict (account) do nothing
  `.execute(db)
}

/** How an account is doing, and what time it is by the clock that dates mailboxes too; undefined for one that is gone. */
export async function findStanding(
  db: Db | Tx,
  account: string,
): Promise<(Standing & { now: Date }) | undefined> {
  const row = await db
    .selectFrom('accountStates')
    .select(columns)
    .select(sql<Date>`now()`.as('now'))
    .where('account', '=', account)
    .executeTakeFirst()
  return row && { ...row, stateEpoch: Number(row.stateEpoch) }
}

/** Stores how an account is doing and, where its state is another one or fails in another way, the change itself. Runs under its lease. */
export async function saveStanding(tx: Tx, account: string, standing: Standing): Promise<void> {
  const { lastError, syncError, stateEpoch, ...rest } = standing
  const error = lastError && JSON.stringify({ error: lastError })
  await tx
    .with('before', (db) =>
      db.selectFrom('accountStates').select('stateEpoch').where('account', '=', account),
    )
    .with('saved', (db) =>
      db
        .updateTable('accountStates')
        .set({
          ...rest,
          stateEpoch: String(stateEpoch),
          lastError: lastError && JSON.stringify(lastError),
          syncError: syncError && JSON.stringify(syncError),
          updatedAt: sql<Date>`now()`,
        })
        .where('account', '=', account),
    )
    .insertInto('accountChanges')
    .columns(['account', 'type', 'key', 'payload'])
    .expression((db) =>
      db
        .selectFrom('before')
        .select([
          sql<string>`${account}`.as('account'),
          sql<string>`'state'`.as('type'),
          sql<string>`${standing.state}`.as('key'),
          sql<string | null>`${error}::jsonb`.as('payload'),
        ])
        .where('stateEpoch', '<>', String(stateEpoch)),
    )
    .execute()
}

/** Hands out numbers for mailboxes, none of them twice in the life of an account. Runs under its lease. */
export async function takeMailboxNumbers(
  tx: Tx,
  account: string,
  count: number,
): Promise<number[]> {
  const { next } = await tx
    .updateTable('accountStates')
    .set((row) => ({ nextMailboxNumber: row('nextMailboxNumber', '+', count) }))
    .where('account', '=', account)
    .returning('nextMailboxNumber as next')
    .executeTakeFirstOrThrow()
  return Array.from({ length: count }, (_, index) => next - count + index)
}
