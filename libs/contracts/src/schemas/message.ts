import { type Static, Type } from 'typebox'
import { Bool, described, Int, Nullable, OneOf, ReadAddress, Text, Texts } from './primitives.ts'

export const SpecialUse = OneOf(
  ['\\All', '\\Archive', '\\Drafts', '\\Flagged', '\\Junk', '\\Sent', '\\Trash', '\\Inbox'],
  { description: 'Special use of the mailbox (RFC 6154). Absent if it has none.' },
)
export type SpecialUse = Static<typeof SpecialUse>

/** Names of the categories (tabs) of a Gmail inbox. */
export const MessageCategory = OneOf(['primary', 'social', 'promotions', 'updates', 'forums'], {
  description: 'Category (tab) of a message in a Gmail inbox.',
})
export type MessageCategory = Static<typeof MessageCategory>

export const AttachmentInfo = Type.Object({
  id: Text('Attachment id.'),
  contentType: Text('Media type, in lower case.'),
  encodedSize: Int('Size in bytes in transfer encoding.'),
  embedded: Type.Optional(Bool('True if the HTML may refer to the part (multipart/related).')),
  inline: Type.Optional(Bool('True if the disposition of the part is `inline`.')),
  encodedInMessage: Type.Optional(
    Bool('False if the message only refers to the content (`message/external-body`).'),
  ),
  contentId: Type.Optional(Text('Content-ID of the part.')),
  filename: Type.Optional(Text('File name of the part.')),
  method: Type.Optional(Text('Method of a calendar part, such as `REQUEST`.')),
  content: Type.Optional(
    Text('Content as base64. Only in messageNew with the setting `notifyAttachments`.'),
  ),
})
export type AttachmentInfo = Static<typeof AttachmentInfo>

const texts = {
  plain: Type.Optional(Text('Text of the message as plain text.')),
  html: Type.Optional(Text('Text of the message as HTML.')),
  hasMore: Type.Optional(Bool('True if text was left out because of a size limit.')),
  webSafe: Type.Optional(Bool('True if the HTML is sanitized.')),
}

export const TextInfo = Type.Object({
  id: Text('Id for `GET /v1/account/{account}/text/{text}`.'),
  encodedSize: Type.Object(
    {
      plain: Type.Optional(Int('Size of the plain text.')),
      html: Type.Optional(Int('Size of the HTML.')),
    },
    { description: 'Sizes in bytes in transfer encoding.' },
  ),
  ...texts,
})
export type TextInfo = Static<typeof TextInfo>

/** Text of a message, as plain text and HTML. */
export const MessageText = Type.Object(texts)
export type MessageText = Static<typeof MessageText>

/** Delivery status of a recipient of a sent message, from a delivery report. */
export const BounceInfo = Type.Object({
  message: Text('Id of the report message.'),
  recipient: Text('Address of the recipient.'),
  action: Text('Action of the report, such as `failed` or `delayed`.'),
  response: Type.Object(
    {
      message: Text('Text of the response.'),
      status: Type.Optional(Text('Enhanced status code (RFC 3463).')),
    },
    { description: 'Response of the receiving server.' },
  ),
  date: Text('Time of the report (ISO 8601).'),
})
export type BounceInfo = Static<typeof BounceInfo>

const addresses = (description: string) => Type.Optional(Type.Array(ReadAddress, { description }))
const entry = {
  id: Text('Message id.'),
  uid: Type.Optional(Int('UID of the message in its mailbox. IMAP accounts only.')),
  emailId: Type.Optional(
    Text('Permanent id of the message (OBJECTID or Gmail). The message id for mail APIs.'),
  ),
  threadId: Type.Optional(Text('Id of the thread (OBJECTID, Gmail or Microsoft Graph).')),
  path: Type.Optional(Text('Path of the mailbox.')),
  date: Type.Optional(Text('Time of the Date header, otherwise of receipt (ISO 8601).')),
  flags: Texts('Flags and keywords.'),
  unseen: Type.Optional(Bool('True if `\\Seen` is not set.')),
  flagged: Type.Optional(Bool('True if `\\Flagged` is set.')),
  answered: Type.Optional(Bool('True if `\\Answered` is set.')),
  draft: Type.Optional(Bool('True if `\\Draft` is set.')),
  size: Type.Optional(Int('Size of the message in bytes.')),
  subject: Type.Optional(Text('Decoded subject.')),
  preview: Type.Optional(
    Text('Beginning of the text, at most 255 characters. Accounts on a mail API only.'),
  ),
  from: Type.Optional(described('Author.', ReadAddress)),
  sender: Type.Optional(described('Sender, if it is not the author.', ReadAddress)),
  replyTo: addresses('Addresses for replies, if they differ from the author.'),
  to: addresses('Primary recipients.'),
  cc: addresses('Recipients of copies.'),
  bcc: addresses('Recipients of blind copies.'),
  messageId: Type.Optional(Text('Message-ID header.')),
  inReplyTo: Type.Optional(Text('Message-ID of the message that this one answers.')),
  labels: Type.Optional(Texts('Labels of Gmail, or categories of Microsoft Graph.')),
  category: Type.Optional(MessageCategory),
  attachments: Type.Optional(Type.Array(AttachmentInfo, { description: 'Attachments.' })),
  text: Type.Optional(described('Texts of the message.', TextInfo)),
  messageSpecialUse: Type.Optional(
    described('Special use of the mailbox or, for Gmail, of the labels.', SpecialUse),
  ),
  incomplete: Type.Optional(
    Type.Literal(true, {
      description:
        'Set if the mail server refuses to describe the message, or if its description exceeds the limits: 10,000 tokens, which are about 1,500 recipients or 500 parts. Attachments and texts are then unknown and absent, or only the first recipients and parts are present. The source can still be downloaded.',
    }),
  ),
  incompleteIn: Type.Optional(
    Type.Array(OneOf(['envelope', 'structure', 'flags']), {
      description:
        'Beside `incomplete`, names what exceeds the limits: `envelope` (subject and addresses), `structure` (attachments and texts) or `flags` (flags and labels). Absent if the mail server refuses to describe the message.',
    }),
  ),
  isAutoReply: Type.Optional(Bool('True for an automatic reply.')),
  bounces: Type.Optional(
    Type.Array(BounceInfo, { description: 'Bounces of this message that have arrived.' }),
  ),
}

/** Message as an item of a list in the API. */
export const MessageEntry = Type.Object(entry)
export type MessageEntry = Static<typeof MessageEntry>

/**
 * Message in the API with its headers. `headers` maps each lower-case header name to the header's
 * values in their order.
 */
export const MessageDetail = Type.Object({
  ...entry,
  specialUse: Type.Optional(SpecialUse),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'Headers: lower-case name and its values in order.',
    }),
  ),
})
export type MessageDetail = Static<typeof MessageDetail>

export const MessagePage = Type.Object({
  total: Int('Number of messages on all pages.'),
  page: Int('Number of this page, starting at 0.'),
  pages: Int('Number of pages.'),
  nextPageCursor: Nullable(Text('Cursor of the next page. Null on the last page.')),
  prevPageCursor: Nullable(Text('Cursor of the previous page. Null on the first page.')),
  messages: Type.Array(MessageEntry, { description: 'Messages of this page.' }),
})
export type MessagePage = Static<typeof MessagePage>

/** Properties of a mailbox that the mail server reports in its list of mailboxes. */
export const listedMailbox = {
  path: Text('Path of the mailbox.'),
  delimiter: Nullable(Text('Separator of levels in the path. Null if there are no levels.')),
  parentPath: Type.Optional(Text('Path of the parent mailbox. Absent at the top level.')),
  name: Text('Last level of the path.'),
  listed: Bool('True if the server lists the mailbox (LIST).'),
  subscribed: Bool('True if the mailbox is subscribed (LSUB).'),
  specialUse: Type.Optional(SpecialUse),
  noInferiors: Type.Optional(Bool('True if the mailbox cannot have mailboxes below it.')),
}
const useSource = 'Origin of the special use: `extension` (reported by the server) or `name`'
/** Source from which it is known which special use a listed mailbox has. */
export const listedUseSource = Type.Optional(
  OneOf(['extension', 'name'], { description: `${useSource}.` }),
)

export const MailboxEntry = Type.Object({
  ...listedMailbox,
  id: Type.Optional(
    Text('Id of the folder or label at the provider. Accounts on a mail API only.'),
  ),
  noSelect: Type.Optional(Bool('True if the mailbox cannot contain messages.')),
  specialUseSource: Type.Optional(
    OneOf(['user', 'extension', 'name'], {
      description: `${useSource}, or \`user\` (set in the account).`,
    }),
  ),
  messages: Type.Union([Type.Integer(), Type.Literal(false)], {
    description: 'Number of messages at the last sync. False if unknown.',
  }),
  uidNext: Type.Union([Type.Integer(), Type.Literal(false)], {
    description: 'Next UID at the last sync. False if unknown.',
  }),
  status: Type.Optional(
    Type.Object(
      {
        messages: Type.Optional(Int('Number of messages.')),
        unseen: Type.Optional(Int('Number of unseen messages.')),
        error: Type.Optional(Text('Error of the server, if it reports no counters.')),
      },
      { description: 'Current counters, if requested.' },
    ),
  ),
})
export type MailboxEntry = Static<typeof MailboxEntry>
