import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { MailboxEntry, MessageDetail, MessagePage } from '../schemas/message.ts'
import { Strict } from '../schemas/primitives.ts'

// Asked of the sync-worker that holds the account's shard: exchange `commands`, key `shard.<n>`.

/** The folders of an account as last listed; with `counters` each is asked for its STATUS. */
export const listMailboxes = defineCommand({
  name: 'listMailboxes',
  request: Strict({ account: Type.String(), counters: Type.Boolean() }),
  response: Type.Object({ mailboxes: Type.Array(MailboxEntry) }),
})

/** One page of a folder, newest first. `path` is a folder path or a special use such as `\Sent`. */
export const listMessages = defineCommand({
  name: 'listMessages',
  request: Strict({
    account: Type.String(),
    path: Type.String(),
    page: Type.Integer(),
    pageSize: Type.Integer(),
    cursor: Type.Optional(Type.String()),
  }),
  response: MessagePage,
})

/** One message with headers, attachments and, when asked for, its text. */
export const getMessage = defineCommand({
  name: 'getMessage',
  request: Strict({
    account: Type.String(),
    message: Type.String(),
    textType: Type.Optional(
      Type.Union([Type.Literal('plain'), Type.Literal('html'), Type.Literal('*')]),
    ),
    maxBytes: Type.Optional(Type.Integer()),
    webSafeHtml: Type.Optional(Type.Boolean()),
    embedAttachedImages: Type.Optional(Type.Boolean()),
    markAsSeen: Type.Optional(Type.Boolean()),
  }),
  response: MessageDetail,
})

/** The RFC 5322 source, streamed. */
export const getMessageSource = defineCommand({
  name: 'getMessageSource',
  request: Strict({ account: Type.String(), message: Type.String() }),
  response: Type.Object({ size: Type.Optional(Type.Integer()) }),
  streams: true,
})
