import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import { maxSearchLength } from '../schemas/account-filter.ts'
import { outboxStates, OutboxEntry } from '../schemas/outbox.ts'
import {
  AccountId,
  Bool,
  described,
  OneOf,
  pageCounts,
  pageQuery,
  Strict,
  Text,
  timeoutHeader,
} from '../schemas/primitives.ts'

const params = Strict({
  queueId: Text(
    'Id of the submission: `queueId` in the response to the request to send the message.',
    {
      minLength: 1,
      maxLength: 256,
    },
  ),
})
const submission = resourceOperations(operationKinds('Outbox', 'outbox'), params)
const changeErrors = ['NotFound', 'UnsupportedOperation', 'WorkerNotAvailable', 'Timeout'] as const

export const listOutbox = defineOperation({
  ...submission.list,
  id: 'listOutbox',
  path: '/v1/outbox',
  summary: 'List messages in the outbox',
  description:
    'Lists messages that were submitted, sorted from oldest to newest. Without `state`, lists queued and held messages. `total` is exact up to 100,000.',
  query: Strict({
    ...pageQuery,
    account: Type.Optional(
      described(
        'Id of the account whose messages are listed. If absent, messages of all accounts are listed.',
        AccountId,
      ),
    ),
    state: Type.Optional(
      OneOf(outboxStates, {
        description:
          'State of the listed messages. If absent, queued and held messages are listed.',
      }),
    ),
    query: Type.Optional(
      Text(
        'Text that the subject or an envelope recipient of the listed messages contains, ignoring case, or their whole Message-ID.',
        { minLength: 1, maxLength: maxSearchLength },
      ),
    ),
  }),
  responseDescription: 'One page of the submitted messages, oldest first.',
  response: Type.Object({
    ...pageCounts,
    messages: Type.Array(OutboxEntry, {
      description: 'Submitted messages of this page, oldest first.',
    }),
  }),
})

export const getOutboxEntry = defineOperation({
  ...submission.get,
  id: 'getOutboxEntry',
  path: '/v1/outbox/:queueId',
  summary: 'Read a message in the outbox',
  description:
    'Reads the state and the progress of a submitted message. Sent and failed messages are available during their retention period (`SVC_SENDER_KEEP_FINISHED`, default 1 day).',
  responseDescription: 'The submitted message with its state and progress.',
  response: OutboxEntry,
  errors: ['NotFound'],
})

export const deleteOutboxEntry = defineOperation({
  ...submission.delete,
  id: 'deleteOutboxEntry',
  path: '/v1/outbox/:queueId',
  summary: 'Cancel a message in the outbox',
  description:
    'Cancels a message that is not sent yet and deletes it from the outbox. No event is emitted. Fails with `UnsupportedOperation` while an attempt to send the message runs.',
  headers: Type.Object(timeoutHeader),
  responseDescription: 'Confirmation that the message was cancelled.',
  response: Type.Object({
    deleted: Bool('Always true: a failed request gets an error response.'),
  }),
  errors: changeErrors,
})

export const holdOutboxEntry = defineOperation({
  ...submission.update,
  id: 'holdOutboxEntry',
  path: '/v1/outbox/:queueId/hold',
  summary: 'Hold a message in the outbox',
  description:
    'Holds a message in the outbox. A held message is not sent until it is released or sent with an operation of the API. Fails with `UnsupportedOperation` while an attempt to send the message runs.',
  headers: Type.Object(timeoutHeader),
  responseDescription: 'Confirmation that the message is held.',
  response: Type.Object({
    held: Bool('Always true: a failed request gets an error response.'),
  }),
  errors: changeErrors,
})

export const releaseOutboxEntry = defineOperation({
  ...submission.update,
  id: 'releaseOutboxEntry',
  path: '/v1/outbox/:queueId/release',
  summary: 'Release a held message',
  description:
    'Releases a held message. The message is due immediately, or at its `sendAt`. A message that is not held is not changed.',
  headers: Type.Object(timeoutHeader),
  responseDescription: 'Confirmation that the message is not held any more.',
  response: Type.Object({
    released: Bool('Always true: a failed request gets an error response.'),
  }),
  errors: ['NotFound', 'WorkerNotAvailable', 'Timeout'],
})

export const sendOutboxEntry = defineOperation({
  ...submission.update,
  id: 'sendOutboxEntry',
  path: '/v1/outbox/:queueId/send',
  summary: 'Send a message in the outbox now',
  description:
    'Makes a held, scheduled or retrying message due immediately, whatever its `sendAt`. The message still waits while the queue `submit` is paused, or while sending through its mail server is suspended after failures.',
  headers: Type.Object(timeoutHeader),
  responseDescription: 'Confirmation that the message is due for sending.',
  response: Type.Object({
    due: Bool('Always true: a failed request gets an error response.'),
  }),
  errors: ['NotFound', 'WorkerNotAvailable', 'Timeout'],
})
