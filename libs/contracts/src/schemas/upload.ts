import { type Static, Type } from 'typebox'
import { AttachmentSource, RawMessage } from './attachment.ts'
import { contentFields } from './content.ts'
import { MailboxTarget } from './mailbox-name.ts'
import { described, Int, Strict, Text, Time } from './primitives.ts'
import { Reference, ReferenceResult } from './reference.ts'
import { quotationFormat } from './submission.ts'

/**
 * Flag of an uploaded message: a system flag or keyword. `\Recent` is excluded, because only the
 * mail server may set it.
 */
const StoredFlag = Type.String({ minLength: 1, maxLength: 128, format: 'message-flag' })

const { from, to, cc, bcc, subject, text, html, messageId, headers } = contentFields

/**
 * Message to store in a mailbox: either the raw message, or fields from which the message is
 * composed.
 */
export const MessageUpload = Strict({
  path: described(
    'Path of the mailbox in which the message is stored, or a special use such as `\\Sent`.',
    MailboxTarget,
  ),
  flags: Type.Optional(
    Type.Array(StoredFlag, {
      maxItems: 1000,
      single: true,
      description: 'Flags that the stored message gets, such as `\\Seen`.',
    }),
  ),
  internalDate: Type.Optional(
    Time(
      'Time of receipt that the stored message gets (ISO 8601). Defaults to the time of the request.',
    ),
  ),
  reference: Type.Optional(Reference),
  raw: Type.Optional(RawMessage),
  from,
  to,
  cc,
  bcc,
  subject,
  text,
  html,
  attachments: Type.Optional(
    Type.Array(AttachmentSource, {
      maxItems: 1000,
      description:
        'Attachments of the message. The contents are in the request or are stored attachments of the account.',
    }),
  ),
  messageId,
  headers,
  ...quotationFormat,
})
export type MessageUpload = Static<typeof MessageUpload>

export const UploadResult = Type.Object({
  id: Type.Optional(
    Text(
      'Id of the stored message. Absent if the mail server lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs.',
    ),
  ),
  path: Text('Path of the mailbox in which the message is stored.'),
  uid: Type.Optional(
    Int(
      'UID of the stored message. Absent if the mail server lacks UIDPLUS (RFC 4315), with which mail servers report new UIDs, and for accounts on a mail API.',
    ),
  ),
  uidValidity: Type.Optional(
    Text('UIDVALIDITY of the mailbox in which the message is stored. IMAP accounts only.'),
  ),
  seq: Type.Optional(
    Int('Sequence number of the stored message in the mailbox. Absent if unknown.'),
  ),
  messageId: Type.Optional(Text('Message-ID header of the stored message.')),
  reference: Type.Optional(ReferenceResult),
})
export type UploadResult = Static<typeof UploadResult>
