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
      description: 'The same request with the same key within a day is answered as the first was',
    }),
  ),
})

/** Queues a message for delivery. The answer says that it is stored, not that it was sent: see `messageSent`, `messageFailed`. */
export const submitMessage = defineOperation({
  id: 'submitMessage',
  method: 'post',
  path: '/v1/account/:account/submit',
  tag: 'Submit',
  summary: 'Submit a message for delivery',
  description:
    'Recipients are those of `to`, `cc` and `bcc`, of `envelope`, of the headers of `raw`, of `mailMerge`, or of the message that `reference` answers: 1000 at most. A single recipient who has left the list `listId` gets nothing: the answer has `skipped` and no `queueId`.',
  scope: 'api',
  permission,
  params: Strict({ account: AccountId }),
  query: Strict({
    useStructuredFormat: Type.Optional(Type.Boolean({ default: false })),
    documentStore: Type.Optional(Type.Boolean({ description: 'Has no effect' })),
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

/** Sends a draft as it is stored. It is removed once it has been sent. */
export const submitDraft = defineOperation({
  id: 'submitDraft',
  method: 'post',
  path: '/v1/account/:account/message/:message/submit',
  tag: 'Submit',
  summary: 'Submit a stored draft for delivery',
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
