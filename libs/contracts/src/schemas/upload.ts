import { type Static, Type } from 'typebox'
import { AttachmentSource, Base64Content } from './attachment.ts'
import { contentFields } from './content.ts'
import { Address, IsoDate, Strict } from './primitives.ts'
import { Reference, ReferenceResult } from './reference.ts'

/** System flag or keyword. `\Recent` is reserved for the server. */
const StoredFlag = Type.String({ minLength: 1, maxLength: 128, format: 'message-flag' })

const { to, cc, bcc, subject, text, html, messageId, headers } = contentFields

/** Message to store: either `raw` or the fields to compose it from. */
export const MessageUpload = Strict({
  path: Type.String({
    minLength: 1,
    maxLength: 1024,
    format: 'mailbox-path',
    description: 'Path of a mailbox, or a special use such as `\\Sent`.',
  }),
  flags: Type.Optional(Type.Array(StoredFlag, { maxItems: 100, single: true })),
  internalDate: Type.Optional(IsoDate),
  reference: Type.Optional(Reference),
  raw: Type.Optional({ ...Base64Content, description: 'Complete message (RFC 5322) as base64.' }),
  from: Type.Optional(Address),
  to,
  cc,
  bcc,
  subject,
  text,
  html,
  attachments: Type.Optional(Type.Array(AttachmentSource, { maxItems: 1000 })),
  messageId,
  headers,
  locale: Type.Optional(Type.String({ maxLength: 100, format: 'one-line' })),
  tz: Type.Optional(Type.String({ maxLength: 100, format: 'one-line' })),
})
export type MessageUpload = Static<typeof MessageUpload>

export const UploadResult = Type.Object({
  id: Type.Optional(
    Type.String({ description: 'Message id. Absent if the server lacks UIDPLUS.' }),
  ),
  path: Type.String(),
  uid: Type.Optional(Type.Integer()),
  uidValidity: Type.Optional(Type.String()),
  seq: Type.Optional(Type.Integer()),
  messageId: Type.Optional(Type.String()),
  reference: Type.Optional(ReferenceResult),
})
export type UploadResult = Static<typeof UploadResult>
