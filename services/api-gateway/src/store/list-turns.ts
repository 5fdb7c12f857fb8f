import { defined } from '@posthorn/contracts'
import {
  deriveEventId,
  type ListBlocks,
  type NewEvent,
  type RecordedEvent,
  recordEvents,
  type Db,
  type Tx,
} from '@posthorn/db'
import { type Insertable, sql } from 'kysely'
import { deleteBlock, insertBlock } from './lists.ts'

/** Request of a recipient to leave or rejoin a list, made through a link. */
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
 * Applies a request and records its event. Undefined if nothing changes. The event id contains the
 * number of turns of this address, so a concurrent repeat is one event.
 */
export async function applyListTurn(
  tx: Tx,
  request: ListTurnRequest,
  serviceUrl: string | null,
): Promise<RecordedEvent[] | undefined> {
  const entry = { listId: request.listId.toLowerCase(), recipient: request.recipient.toLowerCase() }
  const changed =
    request.action === 'unsubscribe'
      ? await insertBlock(tx, blockOf(request, entry))
      : await deleteBlock(tx, entry.listId, entry.recipient)
  if (!changed) return undefined
  const turn = await nextTurn(tx, entry)
  return recordEvents(tx, [eventOf(request, turn)], serviceUrl)
}

interface ListEntry {
  listId: string
  recipient: string
}

function blockOf(request: ListTurnRequest, entry: ListEntry): Insertable<ListBlocks> {
  const { account, messageId = null, source, remoteAddress, userAgent } = request
  const client = { remoteAddress: remoteAddress || null, userAgent: userAgent || null }
  return { ...entry, account, messageId, source, reason: 'unsubscribe', ...client }
}

async function nextTurn(tx: Tx, entry: ListEntry): Promise<number> {
  const { turn } = await tx
    .insertInto('listTurns')
    .values({ ...entry, turn: 1 })
    .onConflict((conflict) =>
      conflict.columns(['listId', 'recipient']).doUpdateSet({ turn: sql`list_turns.turn + 1` }),
    )
    .returning('turn')
    .executeTakeFirstOrThrow()
  return turn
}

function eventOf(request: ListTurnRequest, turn: number): NewEvent {
  const { action, account, listId, recipient, messageId, remoteAddress, userAgent } = request
  const event = action === 'unsubscribe' ? 'listUnsubscribe' : 'listSubscribe'
  return {
    eventId: deriveEventId(['list', listId.toLowerCase(), recipient.toLowerCase(), turn]),
    event,
    account,
    data: defined({
      recipient,
      messageId: action === 'unsubscribe' ? messageId : undefined,
      listId,
      remoteAddress: remoteAddress || undefined,
      userAgent: userAgent || undefined,
    }),
  }
}

/** True if the address is blocked on the list. */
export async function isBlocked(db: Db, listId: string, recipient: string): Promise<boolean> {
  const row = await db
    .selectFrom('listBlocks')
    .select('listId')
    .where('listId', '=', listId.toLowerCase())
    .where('recipient', '=', recipient.toLowerCase())
    .executeTakeFirst()
  return row !== undefined
}
