import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AccountId, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { MessageUpload, UploadResult } from '../schemas/upload.ts'
import { workerErrors } from './worker-errors.ts'

export const uploadMessage = defineOperation({
  id: 'uploadMessage',
  method: 'post',
  path: '/v1/account/:account/message',
  tag: 'Message',
  summary: 'Upload a message into a mailbox',
  description:
    'Stores a message in a mailbox, without sending it. The request has either `raw` or the fields to compose the message from. The response is sent when the mail server has stored the message.',
  scope: 'api',
  permission: { action: 'write', group: 'message' },
  params: Strict({ account: AccountId }),
  headers: Type.Object(timeoutHeader),
  body: MessageUpload,
  bodyLimit: 'upload',
  responseDescription: 'Mailbox and id of the stored message.',
  response: UploadResult,
  errors: [
    'InvalidId',
    'InvalidMessageId',
    'UnsupportedOperation',
    'MailReadingRequired',
    'FolderNotFound',
    'MessageNotFound',
    'UploadFail',
    'MessageTooLarge',
    'InvalidRecipients',
    'SendAsDenied',
    ...workerErrors,
  ],
})
