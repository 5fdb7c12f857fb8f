import { type AuthenticationForm } from '@posthorn/contracts'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** What may be asked of servers on behalf of one link. */
export const maxProbes = 50

const lifetime = sql<Date>`now() + interval '24 hours'`

export interface FormLink {
  /** What the mailbox becomes. */
  account: string
  request: AuthenticationForm
  /** What became of it, once it was used. */
  state: 'new' | 'existing' | null
}

/** Stores what a link is about; it works for a day. */
export async function insertFormLink(
  db: Db,
  nonce: string,
  { account, request }: Pick<FormLink, 'account' | 'request'>,
): Promise<void> {
  const row = { nonce, account, request: JSON.stringify(request), expiresAt: lifetime }
  await db.insertInto('formLinks').values(row).execute()
}

const columns = ['account', 'request', 'state'] as const
const alive = sql<boolean>`expires_at > now()`

/** A link that was made and has not expired; it may have been used. */
export async function findFormLink(db: Db, nonce: string): Promise<FormLink | undefined> {
  const row = await db
    .selectFrom('formLinks')
    .select(columns)
    .where('nonce', '=', nonce)
    .where(alive)
    .executeTakeFirst()
  return row && asLink(row)
}

/** The same, locked until the transaction ends: of several that would use it, one does. */
export async function lockFormLink(tx: Tx, nonce: string): Promise<FormLink | undefined> {
  const row = await tx
    .selectFrom('formLinks')
    .select(columns)
    .where('nonce', '=', nonce)
    .where(alive)
    .forUpdate()
    .executeTakeFirst()
  return row && asLink(row)
}

/** Ends a link, with what became of the account. */
export async function markFormLinkUsed(
  tx: Tx,
  nonce: string,
  state: 'new' | 'existing',
): Promise<void> {
  await tx.updateTable('formLinks').set({ state }).where('nonce', '=', nonce).execute()
}

/** Counts what is about to be asked on behalf of a link; false where it has asked enough. The count is that of all replicas. */
export async function countProbes(db: Db, nonce: string, count: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('formLinks')
    .set({ probes: sql<number>`probes + ${count}::int` })
    .where('nonce', '=', nonce)
    .where(sql<boolean>`probes + ${count}::int <= ${maxProbes}`)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Forgets links that have expired, with the names and addresses in them. */
export async function deleteExpiredFormLinks(db: Db): Promise<void> {
  await db
    .deleteFrom('formLinks')
    .where(sql<boolean>`not (${alive})`)
    .execute()
}

function asLink(row: { account: string; request: unknown; state: FormLink['state'] }): FormLink {
  return { ...row, request: row.request as AuthenticationForm }
}
