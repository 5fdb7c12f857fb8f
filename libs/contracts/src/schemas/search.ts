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
const flag = (name: string, state = 'set') =>
  Type.Optional(
    Bool(`If true, matches messages with \`\\${name}\` ${state}. If false, all others.`),
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
    seq: set('Sequence numbers, such as `1:10,20,*`.'),
    uid: set('UIDs, such as `1:10,20,*`.'),
    answered: flag('Answered'),
    deleted: flag('Deleted'),
    draft: flag('Draft'),
    unseen: flag('Seen', 'not set'),
    seen: flag('Seen'),
    flagged: flag('Flagged'),
    from: text('Text contained in the From header.'),
    to: text('Text contained in the To header.'),
    cc: text('Text contained in the Cc header.'),
    bcc: text('Text contained in the Bcc header.'),
    body: text('Text contained in the body.'),
    subject: text('Text contained in the subject.', 2560),
    larger: bytes('Matches messages larger than this size in bytes.'),
    smaller: bytes('Matches messages smaller than this size in bytes.'),
    modseq: Type.Optional(
      Int('Matches messages changed after this mod-sequence. Requires CONDSTORE.', {
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
      }),
    ),
    before: date('Matches messages received before this date (ISO 8601).'),
    since: date('Matches messages received on or after this date (ISO 8601).'),
    sentBefore: date('Matches messages whose Date header is before this date (ISO 8601).'),
    sentSince: date('Matches messages whose Date header is on or after this date (ISO 8601).'),
    emailId: text('Permanent id of a message (OBJECTID or Gmail).'),
    threadId: text('Id of a thread (OBJECTID or Gmail).'),
    header: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Union([Type.String({ maxLength: 1024, format: 'search-text' }), Type.Literal(true)]),
        {
          maxProperties: 40,
          propertyNames: { format: 'header-name', maxLength: 100 },
          description:
            'Header names with the text that the value contains. `true` or an empty text matches any value.',
        },
      ),
    ),
    gmailRaw: text('Query in the search syntax of Gmail. Gmail accounts only.', 1024),
    labels: Type.Optional(
      Strict(
        {
          has: labels('Labels that a message must have.'),
          not: labels('Labels that a message must not have.'),
        },
        { description: 'Labels a message must or must not have. Gmail accounts only.' },
      ),
    ),
    emailIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256, format: 'search-text' }), {
        maxItems: 5000,
        description: 'Matches messages with any of these ids. All other terms are ignored.',
      }),
    ),
  },
  { description: 'Terms that a message must match. Without terms, all messages match.' },
)
export type Search = Static<typeof Search>
