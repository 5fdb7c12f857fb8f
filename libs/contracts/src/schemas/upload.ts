import { type Static, Type } from 'typebox'
import { Address, IsoDate, Nullable, OneOf, Strict } from './primitives.ts'
import { Submission, UploadAttachment } from './submission.ts'

/** A system flag or a keyword. `\Recent` is the server's alone. */
const StoredFlag = Type.String({ minLength: 1, maxLength: 128, format: 'message-flag' })

/** A stored message that this one answers or passes on. */
export const Reference = Strict({
  message: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  action: Type.Optional(OneOf(['forward', 'reply', 'reply-all'], { default: 'reply' })),
  inline: Type.Optional(
    Type.Boolean({ default: false, description: 'Quotes the text of the message' }),
  ),
  forwardAttachments: Type.Optional(Type.Boolean({ default: false })),
  ignoreMissing: Type.Optional(Type.Boolean({ default: false })),
  messageId: Type.Optional(
    Type.String({
      maxLength: 996,
      description: 'The Message-ID that the message must have, or it counts as missing',
    }),
  ),
  threadId: Type.Optional(Type.String({ maxLength: 256 })),
  documentStore: Type.Optional(Type.Boolean({ description: 'Has no effect' })),
})
export type Reference = Static<typeof Reference>

export const ReferenceResult = Type.Object({
  message: Type.Optional(Type.String()),
  threadId: Type.Optional(Type.String()),
  success: Type.Boolean(),
  error: Type.Optional(Type.String()),
})
export type ReferenceResult = Static<typeof ReferenceResult>

const { content, ...described } = UploadAttachment.properties

/** An attachment with its content, or with the id of one that is stored in the account already. */
export const AttachmentSource = Strict({
  ...described,
  content: Type.Optional(content),
  reference: Type.Optional(
    Nullable(
      Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Literal(false)], {
        description: 'Id of an attachment of the account',
      }),
    ),
  ),
})
export type AttachmentSource = Static<typeof AttachmentSource>

const { to, cc, bcc, subject, text, html, messageId, headers } = Submission.properties

/** A message to be stored: its bytes, or what it is made of. */
export const MessageUpload = Strict({
  path: Type.String({
    minLength: 1,
    maxLength: 1024,
    format: 'mailbox-path',
    description: 'A folder, or a special use such as `\\Sent`',
  }),
  flags: Type.Optional(Type.Array(StoredFlag, { maxItems: 100, single: true })),
  internalDate: Type.Optional(IsoDate),
  reference: Type.Optional(Reference),
  raw: Type.Optional({ ...content, description: 'The message, as base64' }),
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
  id: Type.Optional(Type.String({ description: 'Absent where the server has no UIDPLUS' })),
  path: Type.String(),
  uid: Type.Optional(Type.Integer()),
  uidValidity: Type.Optional(Type.String()),
  seq: Type.Optional(Type.Integer()),
  messageId: Type.Optional(Type.String()),
  reference: Type.Optional(ReferenceResult),
})
export type UploadResult = Static<typeof UploadResult>
