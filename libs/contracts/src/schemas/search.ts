import { type Static, Type } from 'typebox'
import { IsoDate, Strict } from './primitives.ts'

/** Maximum size of a message in bytes. */
const maxSize = 1_073_741_824

/** Not empty: an empty text would match every message, also in bulk deletion. */
const text = (maxLength: number) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, format: 'search-text' }))
const flag = Type.Optional(Type.Boolean())
const bytes = Type.Optional(Type.Integer({ minimum: 0, maximum: maxSize }))
const date = Type.Optional(IsoDate)
const set = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 8192, format: 'sequence-set', description }))
const label = Type.String({ minLength: 1, maxLength: 128, format: 'search-text' })
const labels = Type.Optional(Type.Array(label, { maxItems: 100 }))

/** Search in one mailbox. Terms are combined with AND; without terms all messages match. */
export const Search = Strict({
  seq: set('Sequence numbers, such as `1:10,20,*`.'),
  uid: set('UIDs, such as `1:10,20,*`.'),
  answered: flag,
  deleted: flag,
  draft: flag,
  unseen: flag,
  seen: flag,
  flagged: flag,
  from: text(256),
  to: text(256),
  cc: text(256),
  bcc: text(256),
  body: text(256),
  subject: text(2560),
  larger: bytes,
  smaller: bytes,
  modseq: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Matches messages changed after this mod-sequence. Requires CONDSTORE.',
    }),
  ),
  before: date,
  since: date,
  sentBefore: date,
  sentSince: date,
  emailId: text(256),
  threadId: text(256),
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
  gmailRaw: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      format: 'search-text',
      description: 'Query in the search syntax of Gmail. Gmail accounts only.',
    }),
  ),
  labels: Type.Optional(
    Strict(
      { has: labels, not: labels },
      { description: 'Labels a message must or must not have. Gmail accounts only.' },
    ),
  ),
  emailIds: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256, format: 'search-text' }), {
      maxItems: 5000,
      description: 'Matches messages with any of these ids. All other terms are ignored.',
    }),
  ),
})
export type Search = Static<typeof Search>
