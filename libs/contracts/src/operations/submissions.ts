import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { AccountId, Bool, MessageId, Strict, Text, timeoutHeader } from '../schemas/primitives.ts'
import { documentStore } from '../schemas/reference.ts'
import { DraftSubmission, Submission, SubmissionResult } from '../schemas/submission.ts'
import { workerErrors } from './worker-errors.ts'

const { send } = operationKinds('Submit', 'submit')
const headers = Type.Object({
  ...timeoutHeader,
  'idempotency-key': Type.Optional(
    Text('Key of the request. A repeat within 24 hours returns the first response.', {
      minLength: 1,
      maxLength: 1024,
    }),
  ),
})

export const submitMessage = defineOperation({
  ...send,
  id: 'submitMessage',
  method: 'post',
  path: '/v1/account/:account/submit',
  summary: 'Submit a message',
  description:
    'The response confirms that the message is stored. The events `messageSent` and `messageFailed` report the result of sending. Recipients come from `to`, `cc` and `bcc`, from `envelope`, from the headers of `raw`, from `mailMerge`, or from the message that `reference` replies to: at most 1000. If the only recipient has unsubscribed from the list `listId`, the response has `skipped` and no `queueId`. For accounts on a mail API a draft is created at the provider and sent, so that each message is sent once; an account whose grant permits sending only may send a message again after a crash. Header fields that the message format of a mail API cannot keep are named in `omittedHeaders` of `messageSent`.',
  params: Strict({ account: AccountId }),
  query: Strict({
    useStructuredFormat: Type.Optional(
      Bool('Format for accounts on a mail API. True is rejected for other accounts.', {
        default: false,
      }),
    ),
    documentStore,
  }),
  headers,
  body: Submission,
  response: SubmissionResult,
  bodyLimit: 'upload',
  errors: [
    'InvalidId',
    'InvalidMessageId',
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
  ...send,
  id: 'submitDraft',
  method: 'post',
  path: '/v1/account/:account/message/:message/submit',
  summary: 'Submit a stored draft',
  description:
    'The draft is sent unchanged and removed after it was sent. For accounts on a mail API the stored draft itself is sent, in its thread, and the response has a new Message-ID: `originalMessageId` of `messageSent`. If the draft is changed or deleted before, its content at the time of the request is sent, and a changed draft stays. With `envelope`, a new message is sent in the thread of the draft.',
  params: Strict({ account: AccountId, message: MessageId }),
  headers,
  body: DraftSubmission,
  optionalBody: true,
  response: SubmissionResult,
  errors: [
    'InvalidId',
    'InvalidMessageId',
    'UnsupportedOperation',
    'MessageNotDraft',
    'DraftHasNoRecipients',
    'MessageNotFound',
    'SMTPUnavailable',
    ...workerErrors,
  ],
})
