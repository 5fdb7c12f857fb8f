import { type Static, Type } from 'typebox'
import { maxPartLength, UploadAttachment } from './attachment.ts'
import { Address, MailAddress, Strict } from './primitives.ts'

/** Maximum recipients of one message: recipient fields, envelope or headers of a raw message. */
export const maxRecipients = 1000

const HeaderValue = Type.String({ maxLength: 10_240, format: 'one-line' })
/** RFC 5321 §4.5.5: automatic messages have an empty return path. */
const ReturnPath = Type.Union([MailAddress, Type.Literal('')], {
  description: 'Address that receives bounces (MAIL FROM). If empty, no bounces are sent.',
})
const Addresses = Type.Array(Address, { maxItems: maxRecipients, single: true })

/** Fields of a composed message, without attachments. */
export const contentFields = {
  from: Type.Optional(Address),
  replyTo: Type.Optional(Addresses),
  to: Type.Optional(Addresses),
  cc: Type.Optional(Addresses),
  bcc: Type.Optional(Addresses),
  envelope: Type.Optional(
    Strict({
      from: Type.Optional(ReturnPath),
      to: Type.Optional(Type.Array(MailAddress, { maxItems: maxRecipients, single: true })),
    }),
  ),
  subject: Type.Optional(Type.String({ maxLength: 10_240, format: 'one-line' })),
  text: Type.Optional(Type.String({ maxLength: maxPartLength })),
  html: Type.Optional(Type.String({ maxLength: maxPartLength })),
  previewText: Type.Optional(
    Type.String({
      maxLength: 1024,
      description:
        'Preview that mail clients show in message lists. Inserted into the HTML as hidden text.',
    }),
  ),
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
}

/** Content of a message whose templates and references are resolved. */
export const MessageContent = Strict({
  ...contentFields,
  attachments: Type.Optional(Type.Array(UploadAttachment, { maxItems: 1000 })),
})
export type MessageContent = Static<typeof MessageContent>
