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
    'Requires either `raw` or the fields to compose the message from. The message is stored when the response is sent.',
  scope: 'api',
  permission: { action: 'write', group: 'message' },
  params: Strict({ account: AccountId }),
  headers: Type.Object(timeoutHeader),
  body: MessageUpload,
  bodyLimit: 'upload',
  response: UploadResult,
  errors: [
    'InvalidId',
    'InvalidMessageId',
    'UnsupportedOperation',
    'FolderNotFound',
    'MessageNotFound',
    'UploadFail',
    'MessageTooLarge',
    'InvalidRecipients',
    'SendAsDenied',
    ...workerErrors,
  ],
})
