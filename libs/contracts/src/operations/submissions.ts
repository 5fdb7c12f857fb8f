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
    Text(
      'Idempotency key: a text that identifies the submission. A repeated request with the same key within 24 hours returns the first response and sends no second message.',
      {
        minLength: 1,
        maxLength: 1024,
      },
    ),
  ),
})

export const submitMessage = defineOperation({
  ...send,
  id: 'submitMessage',
  method: 'post',
  path: '/v1/account/:account/submit',
  summary: 'Submit a message',
  description:
    'Stores a message for sending. The events `messageSent` and `messageFailed` report the result of sending. Recipients come from `to`, `cc` and `bcc`, from `envelope`, from the headers of `raw`, from `mailMerge`, or from the message that `reference` replies to: at most 1,000. If the only recipient has unsubscribed from the list `listId`, the response has `skipped` and no `queueId`. For accounts on a mail API (Gmail API, Microsoft Graph), a draft is created at the provider and sent, so that each message is sent once. An account whose grant permits only sending may send a message again after a crash. Header fields that the message format of a mail API cannot keep are named in `omittedHeaders` of `messageSent`.',
  params: Strict({ account: AccountId }),
  query: Strict({
    useStructuredFormat: Type.Optional(
      Bool(
        'If true, the message is sent to Microsoft Graph in the structured format of the API instead of as source (MIME). The structured format keeps fewer header fields. Rejected for accounts that send by SMTP. Defaults to false.',
        {
          default: false,
        },
      ),
    ),
    documentStore,
  }),
  headers,
  body: Submission,
  responseDescription:
    'Confirmation that the message is stored, with its Message-ID and its id in the outbox.',
  response: SubmissionResult,
  bodyLimit: 'upload',
  errors: [
    'InvalidId',
    'InvalidMessageId',
    'UnsupportedOperation',
    'MailReadingRequired',
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
    'Queues a stored draft for sending, with the content at the time of the request. The draft is sent unchanged, then removed from its mailbox. A draft that is changed before it is sent stays in its mailbox. For accounts on a mail API (Gmail API, Microsoft Graph), the provider sends the stored draft itself, in its thread. The response then has a new Message-ID, which `messageSent` reports as `originalMessageId`. With `envelope`, a new message is sent in the thread of the draft.',
  params: Strict({ account: AccountId, message: MessageId }),
  headers,
  body: DraftSubmission,
  optionalBody: true,
  responseDescription:
    'Confirmation that the draft is stored for sending, with its Message-ID and its id in the outbox.',
  response: SubmissionResult,
  errors: [
    'InvalidId',
    'InvalidMessageId',
    'UnsupportedOperation',
    'MailReadingRequired',
    'MessageNotDraft',
    'DraftHasNoRecipients',
    'MessageNotFound',
    'SMTPUnavailable',
    ...workerErrors,
  ],
})
