import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { CalendarEvent } from '../schemas/calendar.ts'
import { MessageCategory, MessageDetail } from '../schemas/message.ts'
import { Bool, described, Int, ReadAddress, Text, Texts } from '../schemas/primitives.ts'
import { MessageSummary } from '../schemas/summary.ts'

const id = Text('Id of the message, as in earlier events and lists.')
const uid = Type.Optional(Int('UID of the message in the mailbox. IMAP accounts only.'))
const missing = {
  missingRetries: Int(
    'Number of further attempts to fetch the message after the first attempt failed.',
  ),
  missingDelay: Int(
    'Sum of the delays before the further attempts to fetch the message, in milliseconds.',
  ),
}

/**
 * A message was found in a mailbox in which it was not before: it arrived, or was moved, copied or
 * uploaded. Published by sync-worker, at least once per message and mailbox. Repetitions have the
 * same event id.
 */
export const messageNew = defineEvent(
  'messageNew',
  Type.Intersect([
    Type.Omit(MessageDetail, ['replyTo']),
    Type.Object({
      // In the event messageNew, `replyTo` is a single address, although message responses have a
      // list. Clients expect a single address in the event.
      replyTo: Type.Optional(
        described(
          'First address that receives replies to the message (Reply-To header). Absent if the author receives replies.',
          ReadAddress,
        ),
      ),
      path: Text('Path of the mailbox that contains the message.'),
      seemsLikeNew: Bool(
        'True if the message is new for the account. False if the account had the message before, for example after a move.',
      ),
      isBounce: Type.Optional(
        Bool('True if the message is a delivery report about failed or delayed recipients.'),
      ),
      isComplaint: Type.Optional(
        Bool('True if the message is an abuse report (complaint about spam).'),
      ),
      relatedMessageId: Type.Optional(
        Text(
          'Message-ID header of the original message that the delivery report or abuse report is about.',
        ),
      ),
      deliveryReport: Type.Optional(
        Type.Unknown({
          description:
            'Fields of the delivery report in the message (RFC 3464), by name in camel case. Only for delivery reports in the Inbox.',
        }),
      ),
      calendarEvents: Type.Optional(
        Type.Array(CalendarEvent, {
          description:
            'Events in the calendar parts of the message, such as invitations, at most 100. Only with the setting `notifyCalendarEvents`. At most 10 calendar parts are read, and only calendar parts up to 512 KiB and 5,000 lines. If events or ends of texts are left out, the member `truncated` names `calendarEvents`.',
        }),
      ),
      summary: Type.Optional(MessageSummary),
      missingDelay: Type.Optional(missing.missingDelay),
      missingRetries: Type.Optional(missing.missingRetries),
    }),
  ]),
)
export type MessageNew = Static<typeof messageNew.data>

/**
 * A message is no longer in its mailbox. Published by sync-worker, at least once. For an account
 * with a mail API, the event contains the last stored thread, flags, labels and category of the
 * message.
 */
export const messageDeleted = defineEvent(
  'messageDeleted',
  Type.Object({
    id,
    uid,
    threadId: Type.Optional(
      Text('Id of the thread (conversation) of the deleted message. Accounts on a mail API only.'),
    ),
    flags: Type.Optional(
      Texts('Last known flags of the deleted message. Accounts on a mail API only.'),
    ),
    labels: Type.Optional(
      Texts('Last known labels of the deleted message. Accounts on a mail API only.'),
    ),
    category: Type.Optional(
      described(
        'Last known category (tab) of the deleted message in a Gmail inbox.',
        MessageCategory,
      ),
    ),
  }),
)

const changes = (kind: 'flags' | 'labels') =>
  Type.Optional(
    Type.Object(
      {
        added: Texts(`Names of the ${kind} that were added to the message.`),
        removed: Texts(`Names of the ${kind} that were removed from the message.`),
        value: Texts(`Names of all ${kind} of the message after the change.`),
      },
      { description: `Changes of the ${kind} of the message. Absent if no ${kind} changed.` },
    ),
  )

/**
 * Flags or Gmail labels of a message changed. Members without a change are absent. Published by
 * sync-worker, at least once per detected change of the message.
 */
export const messageUpdated = defineEvent(
  'messageUpdated',
  Type.Object({
    id,
    uid,
    changes: Type.Object(
      { flags: changes('flags'), labels: changes('labels') },
      {
        description:
          'Changes of the flags and labels of the message since the previous event about the message.',
      },
    ),
  }),
)

/**
 * The mail server announced a message, but the message could not be fetched. Published by
 * sync-worker.
 */
export const messageMissing = defineEvent('messageMissing', Type.Object({ id, uid, ...missing }))
