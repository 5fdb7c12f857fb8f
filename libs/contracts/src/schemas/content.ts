import { type Static, Type } from 'typebox'
import { maxPartLength, UploadAttachment } from './attachment.ts'
import { Address, MailAddress, Strict } from './primitives.ts'

/** Of one message, however they are named: its lists together, its envelope, the headers of a raw message. */
export const maxRecipients = 1000

const HeaderValue = Type.String({ maxLength: 10_240, format: 'one-line' })
/** Where reports go. RFC 5321 §4.5.5: what must not be answered, such as automatic replies, says that there is nowhere. */
const ReturnPath = Type.Union([MailAddress, Type.Literal('')], {
  description: 'Empty: nobody is told of failures, as automatic replies have it',
})
const Addresses = Type.Array(Address, { maxItems: maxRecipients, single: true })

/** What a message is made of, but for its attachments. */
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
      description: 'Shown beside the subject in lists of messages; goes into the HTML, hidden',
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

/** A message as it is composed: whatever it referred to is in it. */
export const MessageContent = Strict({
  ...contentFields,
  attachments: Type.Optional(Type.Array(UploadAttachment, { maxItems: 1000 })),
})
export type MessageContent = Static<typeof MessageContent>
