import { defined } from '@posthorn/contracts/defined'
import type { MessageNew } from '@posthorn/contracts/events/message'
import type { NewEvent, Tx } from '@posthorn/db'
import type { Account } from '../store/accounts.ts'
import { announcedDays, hashMessageId, insertAnnounced } from '../store/announced.ts'
import { insertBounces } from '../store/bounces.ts'
import { findSentMessages, markBounced } from '../store/outbox.ts'
import { type EventKey, type EventMailbox, mailboxEvent } from './mailbox-event.ts'
import {
  bounceRows,
  failedRecipients,
  type MessageReport,
  reportedMessageIds,
  reportEvents,
} from './reports.ts'

/**
 * Data of a messageNew without `seemsLikeNew`, which only the storing transaction knows. A message
 * from a mail API has no `uid`.
 */
export type MessageNewDraft = Omit<MessageNew, 'seemsLikeNew' | 'uid'> & {
  uid?: number
  /** Names of members of the event data that were cut. */
  truncated?: string[]
}

/** Tolerated clock difference when an arrival is compared with the account's registration. */
const skewMs = 10 * 60_000

/** Properties of a message that tell a new message from a moved message. */
export interface MessageNovelty {
  /** Hash of the Message-ID. Absent if the message does not make a later copy seem old. */
  hash?: string
  /**
   * True if date and mailbox allow the message to be new. The transaction checks earlier
   * announcements.
   */
  mayBeNew: boolean
}

/** Novelty of a message by its date of arrival. Pure, apart from the current time. */
export function noveltyOf(
  draft: MessageNewDraft,
  { arrivedAt, notifyFrom }: { arrivedAt: Date; notifyFrom: Date },
): MessageNovelty {
  // A message older than the account or than announced_messages was moved, not received.
  const announcedSince = Date.now() - announcedDays * 86_400_000
  const oldest = Math.max(notifyFrom.getTime() - skewMs, announcedSince)
  // In Gmail's All Mail, labels identify sent messages.
  const isSent = draft.messageSpecialUse === '\\Sent'
  const identity = draft.messageId ?? draft.emailId
  return defined({
    mayBeNew: !isSent && arrivedAt.getTime() >= oldest,
    hash: isSent || identity === undefined ? undefined : hashMessageId(identity),
  })
}

/** Announcement of a message: its messageNew event is due. */
export interface Announcement extends MessageNovelty {
  key: EventKey
  draft: MessageNewDraft
  report?: MessageReport
}

/**
 * Creates the events of new messages of a mailbox, and of the reports in these messages. Stores the
 * Message-IDs of the messages, and the bounces. A message whose Message-ID was announced before, in
 * any mailbox of the account, was only moved and does not seem new. Requires the account's lease.
 */
export async function announceMessages(
  tx: Tx,
  { account, mailbox }: { account: Account; mailbox: EventMailbox },
  announcements: readonly Announcement[],
): Promise<NewEvent[]> {
  const hashes = announcements.flatMap(({ hash }) => hash ?? [])
  const unannounced = await insertAnnounced(tx, account.account, hashes)
  const reports: MessageReport[] = []
  const messageIds = announcements.flatMap(({ report }) =>
    report ? reportedMessageIds(report) : [],
  )
  const sent = await findSentMessages(tx, account.account, messageIds)
  const events = announcements.flatMap(({ key, draft, hash, mayBeNew, report }) => {
    // The first of several equal messages in a batch is the new message: `delete` of its hash
    // succeeds once.
    const isFirst = hash === undefined || unannounced.delete(hash)
    const data = { ...draft, seemsLikeNew: mayBeNew && isFirst }
    const event = mailboxEvent(account, mailbox, { event: 'messageNew', key, data })
    // A report in a message that was only moved is not announced again.
    if (!report || !data.seemsLikeNew) return [event]
    reports.push(report)
    return [event, ...reportEvents(account, mailbox, { key, report, sent })]
  })
  const now = new Date()
  await insertBounces(
    tx,
    reports.flatMap((report) => bounceRows(account.account, report, now)),
  )
  await markBounced(tx, account.account, reports.flatMap(failedRecipients))
  return events
}
