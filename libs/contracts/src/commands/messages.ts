import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { MessageDetail, MessagePage, MessageText } from '../schemas/message.ts'
import { Strict } from '../schemas/primitives.ts'
import { Search } from '../schemas/search.ts'

// Commands that read or store messages, served by the sync-worker that holds the account's shard
// (group of accounts): exchange `commands`, routing key `shard.<n>`.

const account = Type.String()
/** Mailbox of a command about messages: its path, or a special use such as `\Sent`. */
const path = Type.String()
const page = {
  page: Type.Integer(),
  pageSize: Type.Integer(),
  cursor: Type.Optional(Type.String()),
}
const TextType = Type.Union([Type.Literal('plain'), Type.Literal('html'), Type.Literal('*')])

/** Reads one page of the messages in a mailbox, newest message first. */
export const listMessages = defineCommand({
  name: 'listMessages',
  repeatable: true,
  request: Strict({ account, path, ...page }),
  response: MessagePage,
})

/** Reads one page of the messages that match a search, newest message first. */
export const searchMessages = defineCommand({
  name: 'searchMessages',
  repeatable: true,
  request: Strict({
    account,
    /**
     * Path of the mailbox to search. Required for IMAP accounts. If absent, all messages of the
     * account are searched.
     */
    path: Type.Optional(path),
    ...page,
    search: Search,
    /**
     * If true, Microsoft Graph searches with its search index instead of exact filters. Without
     * effect for accounts of other mail systems.
     */
    useOutlookSearch: Type.Optional(Type.Boolean()),
  }),
  response: MessagePage,
})

/**
 * Reads a message with its headers and attachments. The text of the message is included if the
 * request contains `textType`.
 */
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

/** Streams the source text of a message (RFC 5322). */
export const getMessageSource = defineCommand({
  name: 'getMessageSource',
  repeatable: true,
  request: Strict({ account, message: Type.String() }),
  response: Type.Object({ size: Type.Optional(Type.Integer()) }),
  streams: true,
})

/**
 * Reads a marker that changes with every edit of a stored draft. Absent if the message id of the
 * draft itself changes with every edit.
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
    /** Size in bytes of an attachment's content as encoded in the message (transfer encoding). */
    encodedSize: Type.Optional(Type.Integer()),
  }),
  streams: true,
})

/**
 * Appends a message to a mailbox. The bytes of the message are in a row of the table `uploads`,
 * which the sync-worker deletes in any case. A repeated request finds no row and therefore never
 * stores a duplicate.
 */
export const uploadMessage = defineCommand({
  name: 'uploadMessage',
  request: Strict({
    account,
    /** Id of the row of the table `uploads` with the bytes of the message to append. */
    upload: Type.String(),
    /** Size in bytes of the message to append to a mailbox. */
    size: Type.Integer(),
    path,
    flags: Type.Optional(Type.Array(Type.String())),
    internalDate: Type.Optional(Type.String()),
  }),
  response: Type.Object({
    /**
     * Id of the message that was appended to a mailbox. Absent if the mail server does not report
     * the UID of the new message.
     */
    id: Type.Optional(Type.String()),
    path: Type.String(),
    uid: Type.Optional(Type.Integer()),
    uidValidity: Type.Optional(Type.String()),
    seq: Type.Optional(Type.Integer()),
  }),
})
