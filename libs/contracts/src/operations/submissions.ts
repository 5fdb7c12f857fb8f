import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AccountId, Strict, timeoutHeader } from '../schemas/primitives.ts'
import { DraftSubmission, Submission, SubmissionResult } from '../schemas/submission.ts'
import { workerErrors } from './worker-errors.ts'

const permission = { action: 'send', group: 'submit' } as const
const headers = Type.Object({
  ...timeoutHeader,
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: 'Identifies the request. A repeat within 24 hours returns the first response.',
    }),
  ),
})

export const submitMessage = defineOperation({
  id: 'submitMessage',
  method: 'post',
  path: '/v1/account/:account/submit',
  tag: 'Submit',
  summary: 'Submit a message',
  description:
    'The response confirms that the message is stored. The events `messageSent` and `messageFailed` report the result of sending. Recipients come from `to`, `cc` and `bcc`, from `envelope`, from the headers of `raw`, from `mailMerge`, or from the message that `reference` replies to: at most 1000. If the only recipient has unsubscribed from the list `listId`, the response has `skipped` and no `queueId`.',
  scope: 'api',
  permission,
  params: Strict({ account: AccountId }),
  query: Strict({
    useStructuredFormat: Type.Optional(Type.Boolean({ default: false })),
    documentStore: Type.Optional(Type.Boolean({ description: 'Accepted and ignored.' })),
  }),
  headers,
  body: Submission,
  response: SubmissionResult,
  bodyLimit: 'upload',
  errors: [
    'InvalidId',
    'UnsupportedOperation',
    'ReferenceNotSupported',
    'MessageNotFound',
    'ReferenceNotFound',
    'TemplateNotFound',
    'SMTPUnavailable',
    'MissingServiceURLSetup',
    ...workerErrors,
  ],
})

export const submitDraft = defineOperation({
  id: 'submitDraft',
  method: 'post',
  path: '/v1/account/:account/message/:message/submit',
  tag: 'Submit',
  summary: 'Submit a stored draft',
  description: 'The draft is sent unchanged and removed after it was sent.',
  scope: 'api',
  permission,
  params: Strict({
    account: AccountId,
    message: Type.String({ minLength: 1, maxLength: 256 }),
  }),
  headers,
  body: DraftSubmission,
  optionalBody: true,
  response: SubmissionResult,
  errors: [
    'InvalidId',
    'UnsupportedOperation',
    'MessageNotDraft',
    'DraftHasNoRecipients',
    'MessageNotFound',
    'SMTPUnavailable',
    ...workerErrors,
  ],
})
