import { type Static, Type } from 'typebox'
import { Nullable, OneOf, ReadAddress } from './primitives.ts'

export const SpecialUse = OneOf([
  '\\All',
  '\\Archive',
  '\\Drafts',
  '\\Flagged',
  '\\Junk',
  '\\Sent',
  '\\Trash',
  '\\Inbox',
])
export type SpecialUse = Static<typeof SpecialUse>

/** Categories (tabs) of a Gmail inbox. */
export const MessageCategory = OneOf(['primary', 'social', 'promotions', 'updates', 'forums'])
export type MessageCategory = Static<typeof MessageCategory>

export const AttachmentInfo = Type.Object({
  id: Type.String(),
  contentType: Type.String(),
  encodedSize: Type.Integer(),
  embedded: Type.Optional(Type.Boolean()),
  inline: Type.Optional(Type.Boolean()),
  encodedInMessage: Type.Optional(
    Type.Boolean({
      description: 'False if the message only refers to the content (`message/external-body`).',
    }),
  ),
  contentId: Type.Optional(Type.String()),
  filename: Type.Optional(Type.String()),
  method: Type.Optional(Type.String()),
  content: Type.Optional(
    Type.String({
      description: 'Content as base64. Only in messageNew with the setting `notifyAttachments`.',
    }),
  ),
})
export type AttachmentInfo = Static<typeof AttachmentInfo>

export const TextInfo = Type.Object({
  id: Type.String(),
  encodedSize: Type.Object({
    plain: Type.Optional(Type.Integer()),
    html: Type.Optional(Type.Integer()),
  }),
  plain: Type.Optional(Type.String()),
  html: Type.Optional(Type.String()),
  hasMore: Type.Optional(Type.Boolean()),
  webSafe: Type.Optional(Type.Boolean()),
})
export type TextInfo = Static<typeof TextInfo>

/** Text of a message. */
export const MessageText = Type.Object({
  plain: Type.Optional(Type.String()),
  html: Type.Optional(Type.String()),
  hasMore: Type.Optional(Type.Boolean()),
  webSafe: Type.Optional(Type.Boolean()),
})
export type MessageText = Static<typeof MessageText>

/** Delivery status of a recipient, from a delivery report. */
export const BounceInfo = Type.Object({
  message: Type.String({ description: 'Id of the report message.' }),
  recipient: Type.String(),
  action: Type.String(),
  response: Type.Object({ message: Type.String(), status: Type.Optional(Type.String()) }),
  date: Type.String(),
})
export type BounceInfo = Static<typeof BounceInfo>

const entry = {
  id: Type.String(),
  uid: Type.Optional(Type.Integer()),
  emailId: Type.Optional(Type.String()),
  threadId: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  date: Type.Optional(Type.String()),
  flags: Type.Array(Type.String()),
  unseen: Type.Optional(Type.Boolean()),
  flagged: Type.Optional(Type.Boolean()),
  answered: Type.Optional(Type.Boolean()),
  draft: Type.Optional(Type.Boolean()),
  size: Type.Optional(Type.Integer()),
  subject: Type.Optional(Type.String()),
  from: Type.Optional(ReadAddress),
  sender: Type.Optional(ReadAddress),
  replyTo: Type.Optional(Type.Array(ReadAddress)),
  to: Type.Optional(Type.Array(ReadAddress)),
  cc: Type.Optional(Type.Array(ReadAddress)),
  bcc: Type.Optional(Type.Array(ReadAddress)),
  messageId: Type.Optional(Type.String()),
  inReplyTo: Type.Optional(Type.String()),
  labels: Type.Optional(Type.Array(Type.String())),
  category: Type.Optional(MessageCategory),
  attachments: Type.Optional(Type.Array(AttachmentInfo)),
  text: Type.Optional(TextInfo),
  messageSpecialUse: Type.Optional(SpecialUse),
  isAutoReply: Type.Optional(Type.Boolean()),
  bounces: Type.Optional(Type.Array(BounceInfo)),
}

/** Message in a list. */
export const MessageEntry = Type.Object(entry)
export type MessageEntry = Static<typeof MessageEntry>

/** Message with headers: lower-case name and its values in order. */
export const MessageDetail = Type.Object({
  ...entry,
  specialUse: Type.Optional(SpecialUse),
  headers: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
})
export type MessageDetail = Static<typeof MessageDetail>

export const MessagePage = Type.Object({
  total: Type.Integer(),
  page: Type.Integer(),
  pages: Type.Integer(),
  nextPageCursor: Nullable(Type.String()),
  prevPageCursor: Nullable(Type.String()),
  messages: Type.Array(MessageEntry),
})
export type MessagePage = Static<typeof MessagePage>

export const MailboxEntry = Type.Object({
  path: Type.String(),
  delimiter: Nullable(Type.String()),
  parentPath: Type.Optional(Type.String()),
  name: Type.String(),
  listed: Type.Boolean(),
  subscribed: Type.Boolean(),
  noSelect: Type.Optional(Type.Boolean()),
  specialUse: Type.Optional(SpecialUse),
  specialUseSource: Type.Optional(OneOf(['user', 'extension', 'name'])),
  noInferiors: Type.Optional(Type.Boolean()),
  messages: Type.Union([Type.Integer(), Type.Literal(false)]),
  uidNext: Type.Union([Type.Integer(), Type.Literal(false)]),
  status: Type.Optional(
    Type.Object({
      messages: Type.Optional(Type.Integer()),
      unseen: Type.Optional(Type.Integer()),
      error: Type.Optional(Type.String()),
    }),
  ),
})
export type MailboxEntry = Static<typeof MailboxEntry>
