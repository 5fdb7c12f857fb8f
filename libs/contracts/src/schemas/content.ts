import { type Static, Type } from 'typebox'
import { maxPartLength, UploadAttachment } from './attachment.ts'
import { Address, described, MailAddress, Strict, Text } from './primitives.ts'

/**
 * Maximum number of recipients of one message. Recipients are given in recipient fields, the
 * envelope or the headers of a raw message.
 */
export const maxRecipients = 1000

const HeaderValue = Type.String({ maxLength: 10_240, format: 'one-line' })
/**
 * Address that receives bounces of a message. Empty for automatic messages, which must not cause
 * bounces (RFC 5321 §4.5.5).
 */
const ReturnPath = Type.Union([MailAddress, Type.Literal('')], {
  description: 'Address that receives bounces (MAIL FROM). If empty, no bounces are sent.',
})
const addresses = (description: string) =>
  Type.Optional(Type.Array(Address, { maxItems: maxRecipients, single: true, description }))

/** Fields of a composed message, without attachments. */
export const contentFields = {
  from: Type.Optional(described('Author. Defaults to name and address of the account.', Address)),
  replyTo: addresses('Addresses for replies.'),
  to: addresses('Primary recipients.'),
  cc: addresses('Recipients of copies.'),
  bcc: addresses('Recipients of blind copies.'),
  envelope: Type.Optional(
    Strict(
      {
        from: Type.Optional(ReturnPath),
        to: Type.Optional(
          Type.Array(MailAddress, {
            maxItems: maxRecipients,
            single: true,
            description: 'Addresses that receive the message (RCPT TO).',
          }),
        ),
      },
      {
        description:
          'Envelope of SMTP. Defaults to the sender and recipients of the message. Accounts on a mail API without `gateway` take it from the headers: another sender than the author, or a recipient of the headers left out, fails with `UnsupportedOperation`. Further recipients receive a blind copy.',
      },
    ),
  ),
  subject: Type.Optional(Text('Subject.', { maxLength: 10_240, format: 'one-line' })),
  text: Type.Optional(Text('Body as plain text.', { maxLength: maxPartLength })),
  html: Type.Optional(Text('Body as HTML.', { maxLength: maxPartLength })),
  previewText: Type.Optional(
    Text(
      'Preview that mail clients show in message lists. Inserted into the HTML as hidden text.',
      { maxLength: 1024 },
    ),
  ),
  messageId: Type.Optional(
    Text('Message-ID header. Generated if absent.', {
      maxLength: 996,
      format: 'one-line',
      pattern: '^<?[^\\s<>@]+@[^\\s<>]+>?$',
    }),
  ),
  headers: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([HeaderValue, Type.Array(HeaderValue, { maxItems: 1000 })]),
      {
        maxProperties: 1000,
        propertyNames: { format: 'header-name', maxLength: 256 },
        description: 'Additional headers, by name: one value or several.',
      },
    ),
  ),
}

/**
 * Content of a message after its templates and its reference to a stored message (reply or
 * forwarding) have been resolved.
 */
export const MessageContent = Strict({
  ...contentFields,
  attachments: Type.Optional(Type.Array(UploadAttachment, { maxItems: 1000 })),
})
export type MessageContent = Static<typeof MessageContent>
