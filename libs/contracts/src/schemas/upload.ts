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
  path: described('Path of a mailbox, or a special use such as `\\Sent`.', MailboxTarget),
  flags: Type.Optional(
    Type.Array(StoredFlag, { maxItems: 1000, single: true, description: 'Flags of the message.' }),
  ),
  internalDate: Type.Optional(Time('Time of receipt (ISO 8601). Defaults to now.')),
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
    Type.Array(AttachmentSource, { maxItems: 1000, description: 'Attachments.' }),
  ),
  messageId,
  headers,
  ...quotationFormat,
})
export type MessageUpload = Static<typeof MessageUpload>

export const UploadResult = Type.Object({
  id: Type.Optional(Text('Message id. Absent if the server lacks UIDPLUS.')),
  path: Text('Path of the mailbox.'),
  uid: Type.Optional(
    Int('UID of the message. Absent if the server lacks UIDPLUS, and for mail APIs.'),
  ),
  uidValidity: Type.Optional(Text('UIDVALIDITY of the mailbox.')),
  seq: Type.Optional(Int('Sequence number of the message.')),
  messageId: Type.Optional(Text('Message-ID header.')),
  reference: Type.Optional(ReferenceResult),
})
export type UploadResult = Static<typeof UploadResult>
