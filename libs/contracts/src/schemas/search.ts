import { type Static, Type } from 'typebox'
import { IsoDate, Strict } from './primitives.ts'

/** No message's size is above this. */
const maxSize = 1_073_741_824

/** Never empty: an empty text is in every message, and what is found may be going to be deleted. */
const text = (maxLength: number) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, format: 'search-text' }))
const flag = Type.Optional(Type.Boolean())
const bytes = Type.Optional(Type.Integer({ minimum: 0, maximum: maxSize }))
const date = Type.Optional(IsoDate)
const set = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 8192, format: 'sequence-set', description }))
const label = Type.String({ minLength: 1, maxLength: 128, format: 'search-text' })
const labels = Type.Optional(Type.Array(label, { maxItems: 100 }))

/** What to look for in a folder. All terms must hold; none at all finds every message. */
export const Search = Strict({
  seq: set('Places in the folder, such as `1:10,20,*`'),
  uid: set('UIDs, such as `1:10,20,*`'),
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
      description: 'Changed since; needs CONDSTORE',
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
        description: 'Header name to what its value contains; `true` or an empty text: it is there',
      },
    ),
  ),
  gmailRaw: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      format: 'search-text',
      description: "Gmail's own search language; Gmail accounts alone",
    }),
  ),
  labels: Type.Optional(
    Strict({ has: labels, not: labels }, { description: 'Gmail accounts alone' }),
  ),
  emailIds: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 256, format: 'search-text' }), {
      maxItems: 5000,
      description: 'Messages with any of these; all other terms are ignored',
    }),
  ),
})
export type Search = Static<typeof Search>
