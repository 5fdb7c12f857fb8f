import { defineOperation } from '../define.ts'
import { AccountId, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { Submission, SubmissionResult } from '../schemas/submission.ts'
import { Type } from 'typebox'

/** Queues a message for delivery. The answer says that it is stored, not that it was sent: see `messageSent`, `messageFailed`. */
export const submitMessage = defineOperation({
  id: 'submitMessage',
  method: 'post',
  path: '/v1/account/:account/submit',
  tag: 'Submit',
  summary: 'Submit a message for delivery',
  scope: 'api',
  permission: { action: 'send', group: 'submit' },
  params: Strict({ account: AccountId }),
  headers: Type.Object(timeoutHeader),
  body: Submission,
  response: SubmissionResult,
  bodyLimit: 'upload',
  errors: ['SMTPUnavailable', 'NotYetConnected'],
})
