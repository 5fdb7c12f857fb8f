import type { Bus } from '@posthorn/bus'
import { defined } from '@posthorn/contracts/defined'
import { accountDeleted } from '@posthorn/contracts/events/account'
import { messageFailed } from '@posthorn/contracts/events/sending'
import {
  type Db,
  deriveEventId,
  type NewEvent,
  publishEvents,
  type RecordedEvent,
  recordEvents,
  type Tx,
} from '@posthorn/db'
import type { TaskGroup } from '@posthorn/flow'
import type { TokenCache } from '../access/tokens.ts'
import { accountNotFound, deleteAccount, lockAccount } from '../store/accounts/accounts.ts'
import { type EndedSubmission, endSubmissions } from '../store/messages/outbox.ts'

/**
 * Deletes an account. Its waiting submissions end with the event messageFailed. The last event
 * contains the webhook target of the account, because events are delivered after the deletion.
 * Returns the events, for `announceRemoval` after the commit.
 *
 * @throws AppError `not-found`
 */
export async function removeAccount(
  tx: Tx,
  account: string,
  serviceUrl: string | null,
): Promise<RecordedEvent[]> {
  const stored = await lockAccount(tx, account)
  if (!stored) throw accountNotFound()
  const { webhooks: url, webhooksCustomHeaders, createdAt, tenantSet } = stored
  const owned = {
    ...(tenantSet.includes('webhooksCustomHeaders') && { isTenants: true }),
    ...(tenantSet.includes('webhooks') && { isTenantsUrl: true }),
  }
  const failed = (await endSubmissions(tx, account)).map((each) => failedEvent(account, each))
  const event = {
    eventId: deriveEventId([accountDeleted.name, account, createdAt.getTime()]),
    event: accountDeleted.name,
    account,
    data: { account },
    ...(url && { accountTarget: { url, headers: webhooksCustomHeaders ?? [], ...owned } }),
  }
  const recorded = await recordEvents(tx, [...failed, event], serviceUrl)
  await deleteAccount(tx, account)
  return recorded
}

function failedEvent(account: string, ended: EndedSubmission): NewEvent {
  const { queueId, messageId, firstError, networkRouting, maybeSent } = ended
  const reason = maybeSent
    ? 'The account was deleted after the handover: the message may have been delivered'
    : 'The account was deleted before the message was sent'
  const error = (firstError ?? reason).split(/\r?\n/, 1)[0] ?? ''
  return {
    eventId: deriveEventId([messageFailed.name, queueId]),
    event: messageFailed.name,
    account,
    data: defined({ messageId, queueId, error, networkRouting: networkRouting ?? undefined }),
  }
}

export interface AnnounceDeps {
  db: Db
  bus: Bus
  tasks: TaskGroup
  tokens: TokenCache
}

/** Publishes the events of a deleted account and invalidates cached copies of its rows. */
export function announceRemoval(
  { db, bus, tasks, tokens }: AnnounceDeps,
  account: string,
  events: RecordedEvent[],
): void {
  tokens.invalidate()
  tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events))
  tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
  tasks.run(bus.invalidate({ topic: 'tokens' }))
}
