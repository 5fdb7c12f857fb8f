import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AccountId, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { MessageUpload, UploadResult } from '../schemas/upload.ts'
import { workerErrors } from './worker-errors.ts'

/** Stores a message in a folder. Either `raw`, or the fields it is made of; it is stored when this is answered. */
export const uploadMessage = defineOperation({
  id: 'uploadMessage',
  method: 'post',
  path: '/v1/account/:account/message',
  tag: 'Message',
  summary: 'Upload a message into a mailbox',
  scope: 'api',
  permission: { action: 'write', group: 'message' },
  params: Strict({ account: AccountId }),
  headers: Type.Object(timeoutHeader),
  body: MessageUpload,
  bodyLimit: 'upload',
  response: UploadResult,
  errors: [
    'InvalidId',
    'UnsupportedOperation',
    'FolderNotFound',
    'MessageNotFound',
    'UploadFail',
    ...workerErrors,
  ],
})
