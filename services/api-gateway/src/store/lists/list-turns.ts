import { defined } from '@posthorn/contracts/defined'
import {
  type AccountListBlocks,
  deriveEventId,
  type ListTurns,
  type NewEvent,
  recordEvents,
  type Tx,
} from '@posthorn/db'
import { type Insertable, sql } from 'kysely'
import { deleteLinkBlock, insertBlock, keyOf, type ListRecipient } from './lists.ts'

/** Request of a recipient to leave or rejoin a mailing list, made through a link in a message. */
export interface ListTurnRequest extends ListRecipient {
  action: 'unsubscribe' | 'subscribe'
  messageId: string | undefined
  source: 'form' | 'one-click'
  remoteAddress: string
  userAgent: string
}

/**
 * Applies a request to leave or rejoin a mailing list, made through a link, and records its event.
 * A link resubscribes only recipients that a link of the account unsubscribed. Undefined if nothing
 * changes. The event id contains the number of changes of the address so far, so that a concurrent
 * repeat of the request gets the same event id.
 */
export async function applyListTurn(tx: Tx, request: ListTurnRequest, serviceUrl: string | null) {
  const changed =
    request.action === 'unsubscribe'
      ? await insertBlock(tx, blockOf(request))
      : await deleteLinkBlock(tx, request)
  if (!changed) return undefined
  return recordEvents(tx, [eventOf(request, await nextTurn(tx, request))], serviceUrl)
}

function blockOf(request: ListTurnRequest): Insertable<AccountListBlocks> {
  const { account, listId, recipient, messageId = null, source } = request
  const entry = { account, listId, recipient, messageId, source, reason: 'unsubscribe' }
  const { remoteAddress, userAgent } = request
  return { ...entry, remoteAddress: remoteAddress || null, userAgent: userAgent || null }
}

function nextTurn(tx: Tx, request: ListTurnRequest): Promise<ListTurns> {
  const { listId, recipient } = keyOf(request)
  return tx
    .insertInto('listTurns')
    .values({ listId, recipient, turn: 1 })
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
