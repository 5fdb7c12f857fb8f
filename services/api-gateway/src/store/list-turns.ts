import { defined } from '@posthorn/contracts'
import {
  deriveEventId,
  type ListBlocks,
  type ListTurns,
  type NewEvent,
  recordEvents,
  type Db,
  type Tx,
} from '@posthorn/db'
import { type Insertable, sql } from 'kysely'
import { blockedRecipients, deleteBlock, insertBlock, recipientKey } from './lists.ts'

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
export async function applyListTurn(tx: Tx, request: ListTurnRequest, serviceUrl: string | null) {
  const entry = { listId: request.listId.toLowerCase(), recipient: recipientKey(request.recipient) }
  const changed =
    request.action === 'unsubscribe'
      ? await insertBlock(tx, blockOf(request, entry))
      : await deleteBlock(tx, entry.listId, entry.recipient)
  if (!changed) return undefined
  return recordEvents(tx, [eventOf(request, await nextTurn(tx, entry))], serviceUrl)
}

type ListEntry = Pick<ListTurns, 'listId' | 'recipient'>

function blockOf(request: ListTurnRequest, entry: ListEntry): Insertable<ListBlocks> {
  const { account, messageId = null, source, remoteAddress, userAgent } = request
  const client = { remoteAddress: remoteAddress || null, userAgent: userAgent || null }
  return { ...entry, account, messageId, source, reason: 'unsubscribe', ...client }
}

function nextTurn(tx: Tx, entry: ListEntry): Promise<ListTurns> {
  return tx
    .insertInto('listTurns')
    .values({ ...entry, turn: 1 })
    .onConflict((conflict) =>
      conflict.columns(['listId', 'recipient']).doUpdateSet({ turn: sql`list_turns.turn + 1` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

function eventOf(request: ListTurnRequest, entry: ListTurns): NewEvent {
  const { action, account, listId, recipient, messageId, remoteAddress, userAgent } = request
  const event = action === 'unsubscribe' ? 'listUnsubscribe' : 'listSubscribe'
  return {
    eventId: deriveEventId(['list', entry.listId, entry.recipient, entry.turn]),
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
  return (await blockedRecipients(db, listId, [recipient])).size > 0
}
