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
  description: 'Address that receives bounces (MAIL FROM). If empty, mail servers send no bounces.',
})
const addresses = (description: string) =>
  Type.Optional(Type.Array(Address, { maxItems: maxRecipients, single: true, description }))

/** Request fields from which a message is composed, except its attachments. */
export const contentFields = {
  from: Type.Optional(
    described(
      'Author of the message (From header). Defaults to the name and email address of the account.',
      Address,
    ),
  ),
  replyTo: addresses(
    'Addresses that receive replies to the message (Reply-To header). If absent, the author receives replies.',
  ),
  to: addresses('Primary recipients of the message (To header).'),
  cc: addresses('Recipients of copies of the message (Cc header).'),
  bcc: addresses(
    'Recipients of blind copies of the message. Other recipients do not see these addresses.',
  ),
  envelope: Type.Optional(
    Strict(
      {
        from: Type.Optional(ReturnPath),
        to: Type.Optional(
          Type.Array(MailAddress, {
            maxItems: maxRecipients,
            single: true,
            description:
              'Addresses that receive the message (RCPT TO). Defaults to all recipients in the message.',
          }),
        ),
      },
      {
        description:
          'SMTP envelope: addresses that mail servers use to transport the message. Defaults to the author and recipients of the message. Special rules apply if a mail API (Gmail API, Microsoft Graph) sends the message, because the account is on a mail API and the submission does not set `gateway`: the sender in the envelope must be the author of the message, and the envelope must contain all recipients in the headers of the message. Otherwise the request fails with `UnsupportedOperation`. Recipients that only the envelope contains receive a blind copy.',
      },
    ),
  ),
  subject: Type.Optional(
    Text('Subject of the message.', { maxLength: 10_240, format: 'one-line' }),
  ),
  text: Type.Optional(
    Text('Body of the message as plain text. At most 52,428,800 characters.', {
      maxLength: maxPartLength,
    }),
  ),
  html: Type.Optional(
    Text('Body of the message as HTML. At most 52,428,800 characters.', {
      maxLength: maxPartLength,
    }),
  ),
  previewText: Type.Optional(
    Text(
      'Preview text that mail clients show in message lists. Inserted into the HTML as hidden text.',
      { maxLength: 1024 },
    ),
  ),
  messageId: Type.Optional(
    Text('Message-ID header of the message. Generated if absent.', {
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
        description:
          'Additional headers of the message, by header name. The value is a text, or a list of texts for several headers with this name.',
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
