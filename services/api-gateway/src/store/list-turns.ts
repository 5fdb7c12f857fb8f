import {
  deriveEventId,
  type NewEvent,
  type RecordedEvent,
  recordEvents,
  type Db,
  type Tx,
} from '@posthorn/db'
import { sql } from 'kysely'

/** Somebody's wish about a list, by the link they were sent. */
export interface ListTurnRequest {
  action: 'unsubscribe' | 'subscribe'
  account: string
  listId: string
  recipient: string
  messageId: string | undefined
  source: 'form' | 'one-click'
  remoteAddress: string
  userAgent: string
}

/**
 * Carries out a wish, and records its event. Undefined when there is nothing to change. The event's id is made of how often this
 * address left or came back, so that what is asked twice at once is one event.
 */
export async function applyListTurn(
  tx: Tx,
  wish: ListTurnRequest,
  serviceUrl: string | null,
): Promise<RecordedEvent[] | undefined> {
  const place = { listId: wish.listId.toLowerCase(), recipient: wish.recipient.toLowerCase() }
  const changed =
    wish.action === 'unsubscribe' ? await block(tx, place, wish) : await unblock(tx, place)
  if (!changed) return undefined
  const turn = await nextTurn(tx, place)
  return recordEvents(tx, [eventOf(wish, turn)], serviceUrl)
}

interface Place {
  listId: string
  recipient: string
}

async function block(tx: Tx, place: Place, wish: ListTurnRequest): Promise<boolean> {
  const row = await tx
    .insertInto('listBlocks')
    .values({
      ...place,
      account: wish.account,
      messageId: wish.messageId ?? null,
      source: wish.source,
      reason: 'unsubscribe',
      remoteAddress: wish.remoteAddress || null,
      userAgent: wish.userAgent || null,
    })
    .onConflict((conflict) => conflict.columns(['listId', 'recipient']).doNothing())
    .returning('listId')
    .executeTakeFirst()
  return row !== undefined
}

async function unblock(tx: Tx, { listId, recipient }: Place): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('listBlocks')
    .where('listId', '=', listId)
    .where('recipient', '=', recipient)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

async function nextTurn(tx: Tx, place: Place): Promise<number> {
  const { turn } = await tx
    .insertInto('listTurns')
    .values({ ...place, turn: 1 })
    .onConflict((conflict) =>
      conflict.columns(['listId', 'recipient']).doUpdateSet({ turn: sql`list_turns.turn + 1` }),
    )
    .returning('turn')
    .executeTakeFirstOrThrow()
  return turn
}

function eventOf(wish: ListTurnRequest, turn: number): NewEvent {
  const { action, account, listId, recipient, messageId, remoteAddress, userAgent } = wish
  const event = action === 'unsubscribe' ? 'listUnsubscribe' : 'listSubscribe'
  const left = action === 'unsubscribe' && messageId !== undefined
  return {
    eventId: deriveEventId(['list', listId.toLowerCase(), recipient.toLowerCase(), turn]),
    event,
    account,
    data: {
      recipient,
      ...(left ? { messageId } : {}),
      listId,
      ...(remoteAddress === '' ? {} : { remoteAddress }),
      ...(userAgent === '' ? {} : { userAgent }),
    },
  }
}

/** Whether an address gets nothing from a list. */
export async function isBlocked(db: Db, listId: string, recipient: string): Promise<boolean> {
  const row = await db
    .selectFrom('listBlocks')
    .select('listId')
    .where('listId', '=', listId.toLowerCase())
    .where('recipient', '=', recipient.toLowerCase())
    .executeTakeFirst()
  return row !== undefined
}
