import { type Static, Type } from 'typebox'
import { defineEvent } from '../define.ts'
import { CalendarEvent } from '../schemas/calendar.ts'
import { MessageCategory, MessageDetail } from '../schemas/message.ts'
import { Bool, described, Int, ReadAddress, Text, Texts } from '../schemas/primitives.ts'
import { MessageSummary } from '../schemas/summary.ts'

const id = Text('Message id.')
const uid = Type.Optional(Int('UID of the message in its mailbox. IMAP accounts only.'))
const missing = {
  missingRetries: Int('Number of further attempts to fetch the message.'),
  missingDelay: Int('Total delay of these attempts in milliseconds.'),
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
      replyTo: Type.Optional(described('First address for replies.', ReadAddress)),
      path: Text('Path of the mailbox.'),
      seemsLikeNew: Bool('False if the account had the message before, for example after a move.'),
      isBounce: Type.Optional(Bool('True for a report of failed or delayed recipients.')),
      isComplaint: Type.Optional(Bool('True for an abuse report.')),
      relatedMessageId: Type.Optional(Text('Message-ID of the reported message.')),
      deliveryReport: Type.Optional(Type.Unknown({ description: 'Fields of a delivery report.' })),
      calendarEvents: Type.Optional(
        Type.Array(CalendarEvent, {
          description:
            'Events of calendar parts, at most 100. `truncated` names `calendarEvents` if events or the ends of their texts are left out: of more than 10 parts, and of parts above 512 KiB or above 5,000 lines.',
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
    threadId: Type.Optional(Text('Id of the thread. Accounts on a mail API only.')),
    flags: Type.Optional(Texts('Last known flags. Accounts on a mail API only.')),
    labels: Type.Optional(Texts('Last known labels. Accounts on a mail API only.')),
    category: Type.Optional(
      described('Last known category (tab) in a Gmail inbox.', MessageCategory),
    ),
  }),
)

const changes = (kind: 'flags' | 'labels') =>
  Type.Optional(
    Type.Object(
      {
        added: Texts(`Added ${kind}.`),
        removed: Texts(`Removed ${kind}.`),
        value: Texts(`All ${kind}.`),
      },
      { description: `Changes of ${kind}.` },
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
      { description: 'Changes since the last event.' },
    ),
  }),
)

/**
 * The mail server announced a message, but the message could not be fetched. Published by
 * sync-worker.
 */
export const messageMissing = defineEvent('messageMissing', Type.Object({ id, uid, ...missing }))
