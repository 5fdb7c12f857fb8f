import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { MessageDetail, MessagePage, MessageText } from '../schemas/message.ts'
import { Strict } from '../schemas/primitives.ts'
import { Search } from '../schemas/search.ts'

// Commands that read or store messages, served by the sync-worker that holds the account's shard:
// exchange `commands`, key `shard.<n>`.

const account = Type.String()
/** Path of a mailbox, or a special use such as `\Sent`. */
const path = Type.String()
const page = {
  page: Type.Integer(),
  pageSize: Type.Integer(),
  cursor: Type.Optional(Type.String()),
}
const TextType = Type.Union([Type.Literal('plain'), Type.Literal('html'), Type.Literal('*')])

/** Reads one page of a mailbox, newest message first. */
export const listMessages = defineCommand({
  name: 'listMessages',
  repeatable: true,
  request: Strict({ account, path, ...page }),
  response: MessagePage,
})

/** Reads one page of the messages that match a search in a mailbox, newest message first. */
export const searchMessages = defineCommand({
  name: 'searchMessages',
  repeatable: true,
  request: Strict({
    account,
    /**
     * Path of the searched mailbox. Required for IMAP accounts. Absent: all messages of the
     * account.
     */
    path: Type.Optional(path),
    ...page,
    search: Search,
    /**
     * If true, a Graph account is searched with the search index of Graph instead of exact filters.
     * Other accounts ignore the member.
     */
    useOutlookSearch: Type.Optional(Type.Boolean()),
  }),
  response: MessagePage,
})

/** Reads a message with headers and attachments, and with its text if `textType` is present. */
export const getMessage = defineCommand({
  name: 'getMessage',
  repeatable: true,
  request: Strict({
    account,
    message: Type.String(),
    textType: Type.Optional(TextType),
    maxBytes: Type.Optional(Type.Integer()),
    webSafeHtml: Type.Optional(Type.Boolean()),
    embedAttachedImages: Type.Optional(Type.Boolean()),
    markAsSeen: Type.Optional(Type.Boolean()),
  }),
  response: MessageDetail,
})

/** Streams the source of a message (RFC 5322). */
export const getMessageSource = defineCommand({
  name: 'getMessageSource',
  repeatable: true,
  request: Strict({ account, message: Type.String() }),
  response: Type.Object({ size: Type.Optional(Type.Integer()) }),
  streams: true,
})

/**
 * Reads the change marker of a stored draft. Absent if the message id of the draft already changes
 * with every edit.
 */
export const getDraftVersion = defineCommand({
  name: 'getDraftVersion',
  repeatable: true,
  request: Strict({ account, message: Type.String() }),
  response: Type.Object({ version: Type.Optional(Type.String()) }),
})

export const getText = defineCommand({
  name: 'getText',
  repeatable: true,
  request: Strict({
    account,
    text: Type.String(),
    textType: TextType,
    maxBytes: Type.Optional(Type.Integer()),
    webSafeHtml: Type.Optional(Type.Boolean()),
  }),
  response: MessageText,
})

/** Streams the content of an attachment, decoded from its transfer encoding. */
export const getAttachment = defineCommand({
  name: 'getAttachment',
  repeatable: true,
  request: Strict({ account, attachment: Type.String() }),
  response: Type.Object({
    contentType: Type.String(),
    charset: Type.Optional(Type.String()),
    filename: Type.Optional(Type.String()),
    /** Size of the attachment's content in bytes before its transfer encoding is decoded. */
    encodedSize: Type.Optional(Type.Integer()),
  }),
  streams: true,
})

/**
 * Appends a message to a mailbox. The worker consumes the row of `uploads` that holds its bytes,
 * whatever the outcome, so a repeated request finds no row and never stores a duplicate.
 */
export const uploadMessage = defineCommand({
  name: 'uploadMessage',
  request: Strict({
    account,
    /** Id of the row of `uploads` that holds the bytes of the message. */
    upload: Type.String(),
    /** Size of the message in bytes. */
    size: Type.Integer(),
    path,
    flags: Type.Optional(Type.Array(Type.String())),
    internalDate: Type.Optional(Type.String()),
  }),
  response: Type.Object({
    /**
     * Id of the stored message. Absent if the mail server does not report the UID of the message.
     */
    id: Type.Optional(Type.String()),
    path: Type.String(),
    uid: Type.Optional(Type.Integer()),
    uidValidity: Type.Optional(Type.String()),
    seq: Type.Optional(Type.Integer()),
  }),
})
