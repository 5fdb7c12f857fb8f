import { type Static, Type } from 'typebox'
import { Bool, Int, Strict, Text, Time } from './primitives.ts'

/** Largest message size in bytes that a search term for messages may contain. */
const maxSize = 1_073_741_824

/**
 * Text in a search term. Must not be empty: an empty text would match every message, even in a bulk
 * deletion.
 */
const text = (description: string, maxLength = 256) =>
  Type.Optional(Text(description, { minLength: 1, maxLength, format: 'search-text' }))
const imapOnly = ' IMAP accounts only.'
const flag = (name: string, { state = 'set', suffix = '' } = {}) =>
  Type.Optional(
    Bool(
      `If true, matches messages whose flag \`\\${name}\` is ${state}. If false, matches all other messages.${suffix}`,
    ),
  )
const bytes = (description: string) =>
  Type.Optional(Int(description, { minimum: 0, maximum: maxSize }))
const date = (description: string) => Type.Optional(Time(description))
const set = (description: string) =>
  Type.Optional(Text(description, { minLength: 1, maxLength: 8192, format: 'sequence-set' }))
const label = Type.String({ minLength: 1, maxLength: 128, format: 'search-text' })
const labels = (description: string) =>
  Type.Optional(Type.Array(label, { maxItems: 100, description }))

/**
 * Search for messages in one mailbox. A message must match all terms. Without terms, all messages
 * match.
 */
export const Search = Strict(
  {
    seq: set(
      'Matches messages with these sequence numbers in the mailbox, such as `1:10,20,*`. IMAP accounts only.',
    ),
    uid: set(
      'Matches messages with these UIDs in the mailbox, such as `1:10,20,*`. IMAP accounts only.',
    ),
    answered: flag('Answered', { suffix: imapOnly }),
    deleted: flag('Deleted', { suffix: imapOnly }),
    draft: flag('Draft'),
    unseen: flag('Seen', { state: 'not set' }),
    seen: flag('Seen'),
    flagged: flag('Flagged'),
    from: text('Matches messages whose From header contains this text.'),
    to: text('Matches messages whose To header contains this text.'),
    cc: text('Matches messages whose Cc header contains this text.'),
    bcc: text('Matches messages whose Bcc header contains this text.'),
    body: text('Matches messages whose body contains this text.'),
    subject: text('Matches messages whose subject contains this text.', 2560),
    larger: bytes('Matches messages larger than this size in bytes.'),
    smaller: bytes('Matches messages smaller than this size in bytes.'),
    modseq: Type.Optional(
      Int(
        'Matches messages that changed after this mod-sequence. Only for IMAP servers with CONDSTORE (RFC 7162).',
        {
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
        },
      ),
    ),
    before: date('Matches messages received before this date (ISO 8601).'),
    since: date('Matches messages received on or after this date (ISO 8601).'),
    sentBefore: date('Matches messages whose Date header is before this date (ISO 8601).'),
    sentSince: date('Matches messages whose Date header is on or after this date (ISO 8601).'),
    emailId: text('Matches the message with this permanent id (member `emailId` of a message).'),
    threadId: text('Matches messages of the thread with this id (member `threadId` of a message).'),
    header: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.String({ maxLength: 1024, format: 'search-text' }), Type.Literal(true)]),
        {
          maxProperties: 40,
          propertyNames: { format: 'header-name', maxLength: 100 },
          description:
            'Matches messages with these headers: name of each header, with a text that the value contains. `true` or an empty text matches any value.',
        },
      ),
    ),
    gmailRaw: text(
      'Matches messages that a query in the search syntax of Gmail finds, such as `has:attachment`. Gmail accounts only.',
      1024,
    ),
    labels: Type.Optional(
      Strict(
        {
          has: labels('Matches messages that have all of these labels.'),
          not: labels('Matches messages that have none of these labels.'),
        },
        {
          description:
            'Labels that a message must or must not have: Gmail labels, or Microsoft Graph categories. Rejected for other accounts.',
        },
      ),
    ),
    emailIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256, format: 'search-text' }), {
        maxItems: 5000,
        description:
          'Matches messages with these permanent ids (member `emailId` of a message). All other terms are ignored.',
      }),
    ),
  },
  {
    description:
      'Terms of the search that a message must match. Without terms, all messages match.',
  },
)
export type Search = Static<typeof Search>
