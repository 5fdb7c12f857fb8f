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
 * Data of a `messageNew` event before it is stored. `seemsLikeNew` is missing, because only the
 * storing transaction can determine it. A message from a mail API has no `uid`.
 */
export type MessageNewDraft = Omit<MessageNew, 'seemsLikeNew' | 'uid'> & {
  uid?: number
  /** Names of the members of the `messageNew` data that were cut to their size limit. */
  truncated?: string[]
}

/**
 * Tolerated clock difference when the arrival time of a message is compared with the account's
 * registration time.
 */
const skewMs = 10 * 60_000

/** Properties of a message that distinguish a newly arrived message from a moved message. */
export interface MessageNovelty {
  /**
   * Hash of the message's Message-ID. Absent for sent messages, so that a later copy of the message
   * still counts as new.
   */
  hash?: string
  /**
   * True if the date and the mailbox of the message permit that the message is new. The transaction
   * that stores the event also checks whether the Message-ID was announced before.
   */
  mayBeNew: boolean
}

/** Decides by arrival and mailbox whether a message may be new. Pure, apart from the time. */
export function noveltyOf(
  draft: MessageNewDraft,
  { arrivedAt, notifyFrom }: { arrivedAt: Date; notifyFrom: Date },
): MessageNovelty {
  // A message that is older than the account's registration, or older than the retention of
  // announced Message-IDs, counts as moved and not as received.
  const announcedSince = Date.now() - announcedDays * 86_400_000
  const oldest = Math.max(notifyFrom.getTime() - skewMs, announcedSince)
  // In All Mail, the mailbox with all messages of a Gmail account, sent messages are recognized by
  // their labels.
  const isSent = draft.messageSpecialUse === '\\Sent'
  const identity = draft.messageId ?? draft.emailId
  return defined({
    mayBeNew: !isSent && arrivedAt.getTime() >= oldest,
    hash: isSent || identity === undefined ? undefined : hashMessageId(identity),
  })
}

/** Announcement of a message: input for its `messageNew` event, which is due now. */
export interface Announcement extends MessageNovelty {
  key: EventKey
  draft: MessageNewDraft
  report?: MessageReport
}

/**
 * Creates the `messageNew` events of new messages of a mailbox, and the events of the reports in
 * these messages. Stores the Message-IDs of the messages, and the bounces. A message whose
 * Message-ID was announced before, in any mailbox of the account, was only moved and does not seem
 * new. Requires the account's lease.
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
    // If several new messages that are stored together have the same Message-ID, only the first
    // message counts as new. `delete` of the Message-ID's hash succeeds only for this message.
    const isFirst = hash === undefined || unannounced.delete(hash)
    const data = { ...draft, seemsLikeNew: mayBeNew && isFirst }
    const event = mailboxEvent(account, mailbox, { event: 'messageNew', key, data })
    // If a message with a report (such as a bounce) was only moved, the report is not announced
    // again.
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
