import type { ApiFeeds, ApiMailboxes, Db, NamedFolder, Tx } from '@posthorn/db'
import { type Selectable, sql } from 'kysely'

/** State of the message index of an account at a mail API. */
export type ApiMailboxRow = Omit<Selectable<ApiMailboxes>, 'account' | 'folders'>
type SavedMailbox = Omit<ApiMailboxRow, 'repair'> & { repair: string | null }
/** Stored position in a feed (list of changes at the provider). */
export type ApiFeedRow = Omit<Selectable<ApiFeeds>, 'account' | 'dirtySince'>

/** Finds the state of the message index of an account; undefined before the first sync. */
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

/** Lists the stored positions in the feeds (lists of changes) of an account. */
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
