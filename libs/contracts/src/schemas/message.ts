import { type Static, Type } from 'typebox'
import { Bool, described, Int, Nullable, OneOf, ReadAddress, Text, Texts } from './primitives.ts'

export const SpecialUse = OneOf(
  ['\\All', '\\Archive', '\\Drafts', '\\Flagged', '\\Junk', '\\Sent', '\\Trash', '\\Inbox'],
  {
    description:
      'Special use of the mailbox, such as `\\Sent` (RFC 6154). Absent if the mailbox has no special use.',
  },
)
export type SpecialUse = Static<typeof SpecialUse>

/** Names of the categories (tabs) of a Gmail inbox. */
export const MessageCategory = OneOf(['primary', 'social', 'promotions', 'updates', 'forums'], {
  description:
    'Category (tab) of the message in a Gmail inbox. For Gmail over IMAP, the setting `resolveGmailCategories` is required.',
})
export type MessageCategory = Static<typeof MessageCategory>

export const AttachmentInfo = Type.Object({
  id: Text('Id of the attachment, for `GET /v1/account/{account}/attachment/{attachment}`.'),
  contentType: Text('Media type of the attachment in lower case, such as `application/pdf`.'),
  encodedSize: Int(
    'Size of the attachment in bytes, in the transfer encoding of the message. For base64 about 4/3 of the decoded size.',
  ),
  embedded: Type.Optional(
    Bool('True if the HTML of the message may show the attachment (part of `multipart/related`).'),
  ),
  inline: Type.Optional(
    Bool('True if the attachment is intended for display inside the text (disposition `inline`).'),
  ),
  encodedInMessage: Type.Optional(
    Bool(
      'False if the message only refers to the content of the attachment (`message/external-body`).',
    ),
  ),
  contentId: Type.Optional(
    Text('Content-ID of the attachment, to which `cid:` URLs in the HTML refer.'),
  ),
  filename: Type.Optional(
    Text('File name of the attachment. Absent if the attachment has no file name.'),
  ),
  method: Type.Optional(
    Text('Method of an attached calendar part, such as `REQUEST` for an invitation.'),
  ),
  content: Type.Optional(
    Text(
      'Content of the attachment in base64. Only in `messageNew`, with the setting `notifyAttachments`.',
    ),
  ),
})
export type AttachmentInfo = Static<typeof AttachmentInfo>

const texts = {
  plain: Type.Optional(
    Text(
      'Text of the message as plain text. Absent if not requested, or if the message has no plain text.',
    ),
  ),
  html: Type.Optional(
    Text('Text of the message as HTML. Absent if not requested, or if the message has no HTML.'),
  ),
  hasMore: Type.Optional(
    Bool('True if a text of the message is incomplete because of a size limit.'),
  ),
  webSafe: Type.Optional(
    Bool('True if the HTML is sanitized, so that browsers can safely show the HTML.'),
  ),
}

export const TextInfo = Type.Object({
  id: Text('Id of the text of the message, for `GET /v1/account/{account}/text/{text}`.'),
  encodedSize: Type.Object(
    {
      plain: Type.Optional(
        Int('Size of the plain text in bytes, in the transfer encoding of the message.'),
      ),
      html: Type.Optional(
        Int('Size of the HTML in bytes, in the transfer encoding of the message.'),
      ),
    },
    { description: 'Sizes of the texts of the message in bytes, in transfer encoding.' },
  ),
  ...texts,
})
export type TextInfo = Static<typeof TextInfo>

/** Text of a message, as plain text and HTML. */
export const MessageText = Type.Object(texts)
export type MessageText = Static<typeof MessageText>

/** Delivery status of a recipient of a sent message, from a delivery report. */
export const BounceInfo = Type.Object({
  message: Text('Id of the message that contains the delivery report.'),
  recipient: Text('Email address of the recipient that the delivery report names.'),
  action: Text('Result for the recipient in the delivery report, such as `failed` or `delayed`.'),
  response: Type.Object(
    {
      message: Text('Text of the response of the receiving mail server.'),
      status: Type.Optional(
        Text('Enhanced status code of the receiving mail server, such as `5.1.1` (RFC 3463).'),
      ),
    },
    { description: 'Response of the receiving mail server, as quoted by the delivery report.' },
  ),
  date: Text('Time of the delivery report (ISO 8601).'),
})
export type BounceInfo = Static<typeof BounceInfo>

const addresses = (description: string) => Type.Optional(Type.Array(ReadAddress, { description }))
const entry = {
  id: Text('Id of the message, for other operations on the message.'),
  uid: Type.Optional(Int('UID of the message in the mailbox. IMAP accounts only.')),
  emailId: Type.Optional(
    Text(
      'Permanent id of the message, which a move does not change. Only for IMAP servers with OBJECTID (RFC 8474) and for Gmail. For accounts on a mail API the same as `id`.',
    ),
  ),
  threadId: Type.Optional(
    Text(
      'Id of the thread (conversation) of the message. Absent unless the mail server has thread ids (OBJECTID, Gmail, Microsoft Graph).',
    ),
  ),
  path: Type.Optional(Text('Path of the mailbox that contains the message.')),
  date: Type.Optional(
    Text(
      'Time in the Date header of the message (ISO 8601). Without a valid Date header, the time of receipt.',
    ),
  ),
  flags: Texts('Flags and keywords of the message, such as `\\Seen`.'),
  unseen: Type.Optional(Bool('True if the message is unread: the flag `\\Seen` is not set.')),
  flagged: Type.Optional(
    Bool('True if the message is marked as important: the flag `\\Flagged` is set.'),
  ),
  answered: Type.Optional(Bool('True if the message was answered: the flag `\\Answered` is set.')),
  draft: Type.Optional(Bool('True if the message is a draft: the flag `\\Draft` is set.')),
  size: Type.Optional(Int('Size of the message in bytes.')),
  subject: Type.Optional(Text('Decoded subject of the message.')),
  preview: Type.Optional(
    Text(
      'Beginning of the text of the message, at most 255 characters. Accounts on a mail API only.',
    ),
  ),
  from: Type.Optional(described('Author of the message (From header).', ReadAddress)),
  sender: Type.Optional(
    described(
      'Sender of the message (Sender header). Absent if the author is the sender.',
      ReadAddress,
    ),
  ),
  replyTo: addresses(
    'Addresses that receive replies to the message (Reply-To header). Absent if the author receives replies.',
  ),
  to: addresses('Primary recipients of the message (To header).'),
  cc: addresses('Recipients of copies of the message (Cc header).'),
  bcc: addresses('Recipients of blind copies of the message (Bcc header).'),
  messageId: Type.Optional(Text('Message-ID header of the message.')),
  inReplyTo: Type.Optional(
    Text('Message-ID of the message to which this message replies (In-Reply-To header).'),
  ),
  labels: Type.Optional(Texts('Gmail labels, or Microsoft Graph categories, of the message.')),
  category: Type.Optional(MessageCategory),
  attachments: Type.Optional(
    Type.Array(AttachmentInfo, {
      description: 'Attachments of the message, usually without contents.',
    }),
  ),
  text: Type.Optional(
    described('Texts of the message: id, sizes and, if requested, contents.', TextInfo),
  ),
  messageSpecialUse: Type.Optional(
    described(
      'Special use of the mailbox that contains the message. For Gmail, special use of the labels of the message.',
      SpecialUse,
    ),
  ),
  incomplete: Type.Optional(
    Type.Literal(true, {
      description:
        'True if this description of the message is incomplete. Either the mail server returned no description: attachments and texts are absent. Or the description exceeds 10,000 tokens (about 1,500 recipients or 500 parts): only the first recipients and parts are present. The source of the message can still be downloaded.',
    }),
  ),
  incompleteIn: Type.Optional(
    Type.Array(OneOf(['envelope', 'structure', 'flags']), {
      description:
        'Sections that contain only their first values, because the mail server describes the message with more than 10,000 tokens: `envelope` (subject and addresses), `structure` (attachments and texts) or `flags` (flags and labels). Absent if all sections are complete, and if the mail server returned no description at all: then `incomplete` is true, and attachments and texts are absent.',
    }),
  ),
  isAutoReply: Type.Optional(
    Bool('True if the message is an automatic reply, such as an out-of-office message.'),
  ),
  bounces: Type.Optional(
    Type.Array(BounceInfo, {
      description:
        'Delivery reports for this message that have arrived, with failed and delayed recipients.',
    }),
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
      description:
        'Headers of the message: the lower-case name of each header, and the values of this header in the order of the message.',
    }),
  ),
})
export type MessageDetail = Static<typeof MessageDetail>

export const MessagePage = Type.Object({
  total: Int('Number of messages on all pages.'),
  page: Int('Number of this page. The first page is 0.'),
  pages: Int('Number of pages at the requested page size.'),
  nextPageCursor: Nullable(
    Text('Cursor of the next page, for the parameter `cursor`. Null on the last page.'),
  ),
  prevPageCursor: Nullable(
    Text('Cursor of the previous page, for the parameter `cursor`. Null on the first page.'),
  ),
  messages: Type.Array(MessageEntry, {
    description: 'Messages of this page, from newest to oldest.',
  }),
})
export type MessagePage = Static<typeof MessagePage>

/** Properties of a mailbox that the mail server reports in its list of mailboxes. */
export const listedMailbox = {
  path: Text('Full path of the mailbox, such as `Clients/2026`.'),
  delimiter: Nullable(
    Text(
      'Separator of the levels in mailbox paths, such as `/`. Null if the mail server has no levels.',
    ),
  ),
  parentPath: Type.Optional(
    Text('Path of the mailbox that contains this mailbox. Absent for a mailbox at the top level.'),
  ),
  name: Text('Name of the mailbox: last level of the path.'),
  listed: Bool('True if the mail server lists the mailbox (LIST).'),
  subscribed: Bool('True if the user has subscribed to the mailbox (LSUB).'),
  specialUse: Type.Optional(SpecialUse),
  noInferiors: Type.Optional(Bool('True if no mailbox can be created below the mailbox.')),
}
const useSource = 'Origin of the special use: `extension` (reported by the mail server)'
const nameSource = '`name` (derived from the mailbox name)'
/**
 * Origin of a mailbox's special use (such as `\Sent`) in the mail server's list: reported by the
 * server, or derived from the mailbox name.
 */
export const listedUseSource = Type.Optional(
  OneOf(['extension', 'name'], { description: `${useSource} or ${nameSource}.` }),
)

export const MailboxEntry = Type.Object({
  ...listedMailbox,
  id: Type.Optional(
    Text('Id of the mailbox (folder or label) at the mail provider. Accounts on a mail API only.'),
  ),
  noSelect: Type.Optional(
    Bool('True if the mailbox cannot contain messages, only other mailboxes.'),
  ),
  specialUseSource: Type.Optional(
    OneOf(['user', 'extension', 'name'], {
      description: `${useSource}, ${nameSource} or \`user\` (set in the account, such as \`sentMailPath\`).`,
    }),
  ),
  messages: Type.Union([Type.Integer(), Type.Literal(false)], {
    description: 'Number of messages in the mailbox at the last sync. False if unknown.',
  }),
  uidNext: Type.Union([Type.Integer(), Type.Literal(false)], {
    description:
      'UID that the next new message in the mailbox gets (UIDNEXT), at the last sync. False if unknown.',
  }),
  status: Type.Optional(
    Type.Object(
      {
        messages: Type.Optional(Int('Current number of messages in the mailbox.')),
        unseen: Type.Optional(Int('Current number of unread messages in the mailbox.')),
        error: Type.Optional(
          Text(
            'Text of the error because of which the mail server reported no counters. Absent if `messages` and `unseen` are present.',
          ),
        ),
      },
      { description: 'Current counters of the mailbox. Only if requested with `counters`.' },
    ),
  ),
})
export type MailboxEntry = Static<typeof MailboxEntry>
