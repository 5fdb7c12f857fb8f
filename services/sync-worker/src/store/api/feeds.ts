import type { ApiFeeds, ApiMailboxes, ApiPending, Db, NamedFolder, Tx } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'

export type ApiMailboxRow = Omit<Selectable<ApiMailboxes>, 'account' | 'folders'>
type SavedMailbox = Omit<ApiMailboxRow, 'repair'> & { repair: string | null }
export type ApiFeedRow = Omit<Selectable<ApiFeeds>, 'account' | 'dirtySince'>
export type ApiPendingRow = Omit<Selectable<ApiPending>, 'account'>

export function findApiMailbox(db: Db, account: string): Promise<ApiMailboxRow | undefined> {
  return db
    .selectFrom('apiMailboxes')
    .select(['epoch', 'messages', 'announceFrom', 'filledAt', 'syncedAt', 'repair'])
    .where('account', '=', account)
    .executeTakeFirst()
}

/**
 * Stores the complete state of an account's message index, but only if the stored index still has
 * the epoch `epoch` (null: no index is stored). Returns false if the epoch differs. Requires the
 * account's lease.
 */
export async function saveApiMailbox(
  tx: Tx,
  account: string,
  { epoch, mailbox }: { epoch: string | null; mailbox: SavedMailbox },
): Promise<boolean> {
  if (epoch === null) {
    const inserted = await tx
      .insertInto('apiMailboxes')
      .values({ account, ...mailbox })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    return inserted.numInsertedOrUpdatedRows === 1n
  }
  const { numUpdatedRows } = await tx
    .updateTable('apiMailboxes')
    .set(mailbox)
    .where('account', '=', account)
    .where('epoch', '=', epoch)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Lists the folders and labels whose names events of the account may contain. */
export async function listNamedFolders(db: Db, account: string): Promise<NamedFolder[]> {
  const row = await db
    .selectFrom('apiMailboxes')
    .select('folders')
    .where('account', '=', account)
    .executeTakeFirst()
  return row?.folders ?? []
}

/** Stores the names of an account's folders at the mail provider. Requires the account's lease. */
export async function saveNamedFolders(
  tx: Tx,
  account: string,
  folders: readonly NamedFolder[],
): Promise<void> {
  await tx
    .updateTable('apiMailboxes')
    .set({ folders: JSON.stringify(folders) })
    .where('account', '=', account)
    .execute()
}

/**
 * Deletes the message index, the positions in feeds (lists of changes) and the pending messages of
 * an account. Requires the account's lease.
 */
export async function deleteApiIndex(tx: Tx, account: string): Promise<void> {
  await tx.deleteFrom('apiLeaves').where('account', '=', account).execute()
  await tx.deleteFrom('apiFeeds').where('account', '=', account).execute()
  await tx.deleteFrom('apiPending').where('account', '=', account).execute()
}

export function listApiFeeds(db: Db, account: string): Promise<ApiFeedRow[]> {
  return db
    .selectFrom('apiFeeds')
    .select(['feed', 'folder', 'stage', 'cursor', 'applied', 'completedAt', 'isInitial'])
    .where('account', '=', account)
    .orderBy('feed')
    .execute()
}

/**
 * Inserts or replaces the stored positions in feeds (lists of changes at the provider). No feed may
 * occur twice. Requires the account's lease.
 */
export async function saveApiFeeds(
  tx: Tx,
  account: string,
  feeds: readonly ApiFeedRow[],
): Promise<void> {
  if (feeds.length === 0) return
  const column = <T>(pick: (feed: ApiFeedRow) => T) => sql.val(feeds.map(pick))
  await sql`
    insert into api_feeds (account, feed, folder, stage, cursor, applied, completed_at,
      is_initial)
    select ${account}, feed, folder, stage, cursor, applied, completed_at, is_initial from unnest(
      ${column(({ feed }) => feed)}::text[], ${column(({ folder }) => folder)}::text[],
      ${column(({ stage }) => stage)}::text[], ${column(({ cursor }) => cursor)}::text[],
      ${column(({ applied }) => applied)}::text[],
      ${column(({ completedAt }) => completedAt)}::timestamptz[],
      ${column(({ isInitial }) => isInitial)}::boolean[]
    ) as input (feed, folder, stage, cursor, applied, completed_at, is_initial)
    on conflict (account, feed) do update
    set folder = excluded.folder, stage = excluded.stage, cursor = excluded.cursor,
      applied = excluded.applied, completed_at = excluded.completed_at,
      is_initial = excluded.is_initial
  `.execute(tx)
}

/** Deletes stored positions in feeds (lists of changes). Requires the account's lease. */
export async function deleteApiFeeds(
  tx: Tx,
  account: string,
  feeds: readonly string[],
): Promise<void> {
  if (feeds.length === 0) return
  await sql`
    delete from api_feeds where account = ${account} and feed = any(${feeds}::text[])
  `.execute(tx)
}

/**
 * Inserts pending messages (messages that must be read again). Pending messages in `named` replace
 * the folder of an existing pending message. Pending messages in `changed` update the stored number
 * of attempts. Requires the account's lease.
 */
export async function saveApiPending(
  tx: Tx,
  account: string,
  { named, inserted, changed }: Record<'named' | 'inserted' | 'changed', readonly ApiPendingRow[]>,
): Promise<void> {
  const insert = (rows: readonly ApiPendingRow[]) =>
    tx.insertInto('apiPending').values(rows.map((row) => ({ account, ...row })))
  if (named.length > 0)
    await insert(uniqueRows(named))
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'message'])
          .doUpdateSet((row) => ({ folder: row.ref('excluded.folder') })),
      )
      .execute()
  if (inserted.length > 0)
    await insert(inserted)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  for (const { message, tries, nextAt } of changed)
    await tx
      .updateTable('apiPending')
      .set({ tries, nextAt })
      .where('account', '=', account)
      .where('message', '=', message)
      .execute()
}

/** Keeps only the last row of each pending message (to be read again). */
function uniqueRows(rows: readonly ApiPendingRow[]): ApiPendingRow[] {
  return [...new Map(rows.map((row) => [row.message, row])).values()]
}

/**
 * Deletes pending messages (to be read again) whose row names the folder `folder`. If `folder` is
 * absent, deletes the pending messages of all folders. Requires the account's lease.
 */
export async function deleteApiPending(
  tx: Tx,
  account: string,
  { messages, folder }: { messages: readonly string[]; folder?: string | null },
): Promise<void> {
  if (messages.length === 0) return
  const isInFolder = folder === undefined ? sql`true` : sql`folder is not distinct from ${folder}`
  await sql`
    delete from api_pending where account = ${account} and message = any(${messages}::text[])
      and ${isInFolder}
  `.execute(tx)
}

/** Pending messages (named by a feed, to be read again) due at a time, the earliest first. */
export function listDueApiPending(
  db: Db,
  account: string,
  { now, limit }: { now: Date; limit: number },
): Promise<ApiPendingRow[]> {
  return db
    .selectFrom('apiPending')
    .select(['message', 'folder', 'tries', 'nextAt'])
    .where('account', '=', account)
    .where('nextAt', '<=', now)
    .orderBy('nextAt')
    .orderBy('message')
    .limit(limit)
    .execute()
}

export async function findNextApiPendingAt(db: Db, account: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('apiPending')
    .select('nextAt')
    .where('account', '=', account)
    .orderBy('nextAt')
    .limit(1)
    .executeTakeFirst()
  return row?.nextAt
}

/**
 * Stores a `syncWarning` of an account, which `GET /v1/changes` returns. Requires the account's
 * lease.
 */
export async function insertSyncWarning(
  tx: Tx,
  account: string,
  { type, path, message }: { type: string; path: string; message: string },
): Promise<void> {
  await tx
    .insertInto('accountChanges')
    .values({ account, type: 'syncWarning', key: type, payload: JSON.stringify({ path, message }) })
    .execute()
}
