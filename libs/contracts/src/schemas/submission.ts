import { type Static, Type } from 'typebox'
import { Address, IsoDate, MailAddress, OneOf, Strict } from './primitives.ts'

/** Bytes, as base64, that one attachment may have before it is refused; the same for text and html. */
const maxPartLength = 50 * 1024 * 1024

export const UploadAttachment = Strict({
  filename: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  contentType: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  contentDisposition: Type.Optional(OneOf(['inline', 'attachment'])),
  cid: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  encoding: Type.Optional(OneOf(['base64'], { default: 'base64' })),
  content: Type.String({ maxLength: maxPartLength, format: 'base64' }),
})

const HeaderValue = Type.String({ maxLength: 10_240, format: 'one-line' })
const Addresses = Type.Array(Address, { maxItems: 1000, single: true })

export const Submission = Strict({
  from: Type.Optional(Address),
  replyTo: Type.Optional(Addresses),
  to: Type.Optional(Addresses),
  cc: Type.Optional(Addresses),
  bcc: Type.Optional(Addresses),
  envelope: Type.Optional(
    Strict({
      from: Type.Optional(MailAddress),
      to: Type.Optional(Type.Array(MailAddress, { maxItems: 1000 })),
    }),
  ),
  subject: Type.Optional(Type.String({ maxLength: 10_240, format: 'one-line' })),
  text: Type.Optional(Type.String({ maxLength: maxPartLength })),
  html: Type.Optional(Type.String({ maxLength: maxPartLength })),
  attachments: Type.Optional(Type.Array(UploadAttachment, { maxItems: 1000 })),
  messageId: Type.Optional(
    Type.String({ maxLength: 996, format: 'one-line', pattern: '^<?[^\\s<>@]+@[^\\s<>]+>?$' }),
  ),
  headers: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([HeaderValue, Type.Array(HeaderValue, { maxItems: 100 })]),
      {
        maxProperties: 200,
        propertyNames: { format: 'header-name', maxLength: 256 },
      },
    ),
  ),
  sendAt: Type.Optional(IsoDate),
  deliveryAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
})
export type Submission = Static<typeof Submission>

export const SubmissionResult = Type.Object({
  response: Type.String(),
  messageId: Type.String(),
  sendAt: Type.String(),
  queueId: Type.String(),
})
