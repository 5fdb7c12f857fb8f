import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Row of `api_leaves`: leaf (block of messages) of the stored message index. */
export interface ApiLeafRow {
  low: string
  messages: number
  content: Uint8Array
}

/**
 * Identifies a set of leaves of one account: the leaves of the message index, or the leaves
 * collected by a full round (complete listing) of a feed.
 */
export interface ApiLeafPart {
  account: string
  /**
   * Name of the set of leaves. Empty for the message index, otherwise the feed whose messages are
   * being listed.
   */
  part: string
}

/**
 * Loads the leaves of the message index that cover some message ids. The leaf that covers an id is
 * the last leaf whose `low` is not above the id. If a covering leaf has fewer than `small`
 * messages, also loads the leaf before it, whose `low` is in `previous` of the covering leaf.
 */
export async function loadApiLeaves(
  db: Db,
  { account, part }: ApiLeafPart,
  { ids, small }: { ids: readonly string[]; small: number },
): Promise<(ApiLeafRow & { previous: string | null })[]> {
  const { rows } = await sql<ApiLeafRow & { previous: string | null }>`
    with covering as (
      select distinct leaf.low, leaf.messages
      from unnest(${ids}::text[]) as wanted (id)
      cross join lateral (
        select l.low, l.messages from api_leaves l
        where l.account = ${account} and l.part = ${part} and l.low <= wanted.id
        order by l.low desc limit 1
      ) leaf
    ), before as (
      select c.low, (
        select l.low from api_leaves l
        where l.account = ${account} and l.part = ${part} and l.low < c.low
        order by l.low desc limit 1
      ) as previous
      from covering c where c.messages < ${small}
    ), lows as (
      select low from covering union select previous from before where previous is not null
    )
    select l.low, l.messages, l.content, before.previous
    from lows
    join api_leaves l on l.account = ${account} and l.part = ${part} and l.low = lows.low
    left join before on before.low = l.low
  `.execute(db)
  return rows
}

/**
 * Loads at most `limit` leaves of the message index in order, starting with the leaf that covers
 * the message id `from`. `next` is the `low` of the first leaf that was not loaded.
 */
export async function scanApiLeaves(
  db: Db,
  { account, part }: ApiLeafPart,
  { from, limit }: { from: string; limit: number },
): Promise<{ leaves: ApiLeafRow[]; next: string | undefined }> {
  const { rows } = await sql<ApiLeafRow>`
    select l.low, l.messages, l.content from api_leaves l
    where l.account = ${account} and l.part = ${part} and l.low >= coalesce((
      select b.low from api_leaves b
      where b.account = ${account} and b.part = ${part} and b.low <= ${from}
      order by b.low desc limit 1
    ), '')
    order by l.low limit ${limit + 1}
  `.execute(db)
  return { leaves: rows.slice(0, limit), next: rows[limit]?.low }
}

/** Number of messages in the leaves of a part of the message index. */
export async function countApiMessages(db: Db, { account, part }: ApiLeafPart): Promise<number> {
  const row = await db
    .selectFrom('apiLeaves')
    .select((from) => from.fn.sum<string | null>('messages').as('messages'))
    .where('account', '=', account)
    .where('part', '=', part)
    .executeTakeFirst()
  return Number(row?.messages ?? 0)
}

/** Inserts or replaces leaves of the message index. Requires the account's lease. */
export async function saveApiLeaves(
  tx: Tx,
  { account, part }: ApiLeafPart,
  leaves: readonly ApiLeafRow[],
): Promise<void> {
  if (leaves.length === 0) return
  const column = <T>(pick: (leaf: ApiLeafRow) => T) => sql.val(leaves.map(pick))
  await sql`
    insert into api_leaves (account, part, low, messages, content)
    select ${account}, ${part}, low, messages, content from unnest(
      ${column(({ low }) => low)}::text[], ${column(({ messages }) => messages)}::smallint[],
      ${column(({ content }) => Buffer.from(content))}::bytea[]
    ) as input (low, messages, content)
    on conflict (account, part, low) do update
    set messages = excluded.messages, content = excluded.content
  `.execute(tx)
}

/** Deletes some or all leaves of a part of the message index. Requires the account's lease. */
export async function deleteApiLeaves(
  tx: Tx,
  { account, part }: ApiLeafPart,
  lows: readonly string[] | 'all',
): Promise<void> {
  if (lows.length === 0) return
  await sql`
    delete from api_leaves where account = ${account} and part = ${part}
      and ${lows === 'all' ? sql`true` : sql`low = any(${lows}::text[])`}
  `.execute(tx)
}

/**
 * Finds the drafts that senders created among some drafts. A sender created a draft if the outbox
 * names the draft's id, if a queued submission has the draft's Message-ID, or if the cleanup of an
 * interrupted attempt names the Message-ID. Excludes the owner's drafts, which senders may release.
 */
export async function findSubmittedDrafts(
  db: Db,
  account: string,
  drafts: readonly { id: string; messageId?: string }[],
): Promise<string[]> {
  const ids = sql.val(drafts.map(({ id }) => id))
  const messageIds = sql.val(drafts.map(({ messageId }) => messageId ?? null))
  const { rows } = await sql<{ id: string }>`
    with drafts as (
      select * from unnest(${ids}::text[], ${messageIds}::text[]) as input (id, message_id)
    )
    select d.id from drafts d
    join outbox o on o.message_id = d.message_id and o.account = ${account} and o.state = 'queued'
    union
    select d.id from drafts d
    join outbox o on o.account = ${account} and o.provider_draft is not null
      and o.provider_draft ->> 'stored' is null
      and o.provider_draft ->> 'messageId' = d.id
    union
    select d.id from drafts d
    join draft_cleanups c on c.account = ${account} and c.message_id = d.message_id
  `.execute(db)
  return rows.map(({ id }) => id)
}
