import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { MessageDetail, MessagePage } from '../schemas/message.ts'
import { AccountId, OneOf, paging, Strict, timeoutHeader } from '../schemas/primitives.ts'

const unavailable = [
  'NotYetConnected',
  'AuthenticationFails',
  'ConnectionError',
  'NotSyncing',
  'IMAPUnavailable',
  'WorkerNotAvailable',
  'Timeout',
] as const
const headers = Type.Object(timeoutHeader)
const MessageId = Type.String({ minLength: 1, maxLength: 256 })

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
    cursor: Type.Optional(Type.String({ maxLength: 4096 })),
    ...paging,
  }),
  headers,
  response: MessagePage,
  errors: ['FolderNotFound', 'InvalidCursorType', 'InvalidCursorValue', ...unavailable],
})

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
    maxBytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_073_741_824 })),
    textType: Type.Optional(OneOf(['html', 'plain', '*'])),
    webSafeHtml: Type.Optional(Type.Boolean({ default: false })),
    embedAttachedImages: Type.Optional(Type.Boolean()),
    preProcessHtml: Type.Optional(Type.Boolean({ default: false })),
    markAsSeen: Type.Optional(Type.Boolean({ default: false })),
  }),
  headers,
  response: MessageDetail,
  errors: ['InvalidId', 'MessageNotFound', ...unavailable],
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
  errors: ['InvalidId', 'MessageNotFound', ...unavailable],
})
