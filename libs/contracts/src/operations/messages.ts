import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { MessageDetail, MessagePage } from '../schemas/message.ts'
import { AccountId, OneOf, pageQuery, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'

const headers = Type.Object(timeoutHeader)
const MessageId = Type.String({ minLength: 1, maxLength: 256 })
const Cursor = Type.Optional(
  Type.String({ maxLength: 1_048_576, description: 'Of an earlier page; wins over `page`' }),
)
const maxBytes = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 1_073_741_824, description: 'Of each kind of text' }),
)
const paged = [
  'FolderNotFound',
  'InvalidCursorType',
  'InvalidCursorValue',
  ...workerErrors,
] as const

/** One page of a folder, newest first. `path` may be a special use such as `\Sent`. A cursor wins over a page. */
export const listMessages = defineOperation({
  id: 'listMessages',
  method: 'get',
  path: '/v1/account/:account/messages',
  tag: 'Message',
  summary: 'List messages of a mailbox',
  scope: 'api',
  permission: { action: 'read', group: 'message' },
  params: Strict({ account: AccountId }),
  query: Strict({
    path: Type.String({ minLength: 1, maxLength: 1024, format: 'mailbox-path' }),
    cursor: Cursor,
    ...pageQuery,
  }),
  headers,
  response: MessagePage,
  errors: paged,
})

/** One message. Without `textType` none of its text is read; `webSafeHtml` stands for all of it, with its pictures. */
export const getMessage = defineOperation({
  id: 'getMessage',
  method: 'get',
  path: '/v1/account/:account/message/:message',
  tag: 'Message',
  summary: 'Read a message',
  scope: 'api',
  permission: { action: 'read', group: 'message' },
  params: Strict({ account: AccountId, message: MessageId }),
  query: Strict({
    maxBytes,
    textType: Type.Optional(OneOf(['html', 'plain', '*'])),
    webSafeHtml: Type.Optional(Type.Boolean({ default: false })),
    embedAttachedImages: Type.Optional(Type.Boolean()),
    preProcessHtml: Type.Optional(Type.Boolean({ default: false })),
    markAsSeen: Type.Optional(Type.Boolean({ default: false })),
  }),
  headers,
  response: MessageDetail,
  errors: ['InvalidId', 'MessageNotFound', ...workerErrors],
})

/** The message as the server has it, streamed. */
export const getMessageSource = defineOperation({
  id: 'getMessageSource',
  method: 'get',
  path: '/v1/account/:account/message/:message/source',
  tag: 'Message',
  summary: 'Download the source of a message',
  scope: 'api',
  permission: { action: 'read', group: 'message' },
  params: Strict({ account: AccountId, message: MessageId }),
  headers,
  response: Type.String(),
  produces: 'message/rfc822',
  errors: ['InvalidId', 'MessageNotFound', ...workerErrors],
})
