import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { MessageText } from '../schemas/message.ts'
import { AccountId, OneOf, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { workerErrors } from './worker-errors.ts'

const headers = Type.Object(timeoutHeader)
const maxBytes = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 1_073_741_824, description: 'Of each kind of text' }),
)

/** The texts of a message by the `text.id` of the message. With `webSafeHtml` only HTML is answered, made of the plain text where there is none. */
export const getText = defineOperation({
  id: 'getText',
  method: 'get',
  path: '/v1/account/:account/text/:text',
  tag: 'Message',
  summary: 'Read the text of a message',
  scope: 'api',
  permission: { action: 'read', group: 'message' },
  params: Strict({ account: AccountId, text: Type.String({ minLength: 1, maxLength: 10_240 }) }),
  query: Strict({
    maxBytes,
    textType: Type.Optional(OneOf(['html', 'plain', '*'], { default: '*' })),
    webSafeHtml: Type.Optional(Type.Boolean({ default: false })),
    documentStore: Type.Optional(Type.Boolean({ description: 'Has no effect' })),
  }),
  headers,
  response: MessageText,
  errors: ['InvalidId', 'MessageNotFound', ...workerErrors],
})

/** The bytes of an attachment, decoded and streamed, with the content type of the part and its file name. */
export const getAttachment = defineOperation({
  id: 'getAttachment',
  method: 'get',
  path: '/v1/account/:account/attachment/:attachment',
  tag: 'Message',
  summary: 'Download an attachment',
  scope: 'api',
  permission: { action: 'read', group: 'message' },
  params: Strict({
    account: AccountId,
    attachment: Type.String({ minLength: 1, maxLength: 2048 }),
  }),
  headers,
  response: Type.String(),
  produces: 'application/octet-stream',
  errors: ['InvalidId', 'MessageNotFound', ...workerErrors],
})
