import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { outboxStates, OutboxEntry } from '../schemas/outbox.ts'
import {
  AccountId,
  OneOf,
  pageCounts,
  pageQuery,
  Strict,
  timeoutHeader,
} from '../schemas/primitives.ts'

const params = Strict({ queueId: Type.String({ minLength: 1, maxLength: 64 }) })
const changeErrors = ['NotFound', 'UnsupportedOperation', 'WorkerNotAvailable', 'Timeout'] as const

export const listOutbox = defineOperation({
  id: 'listOutbox',
  method: 'get',
  path: '/v1/outbox',
  tag: 'Outbox',
  summary: 'List messages in the outbox',
  description:
    'Sorted from oldest to newest. Without `state`, lists queued and held messages. `total` is exact up to 100,000.',
  scope: 'api',
  permission: { action: 'read', group: 'outbox' },
  query: Strict({
    ...pageQuery,
    account: Type.Optional(AccountId),
    state: Type.Optional(OneOf(outboxStates)),
  }),
  response: Type.Object({ ...pageCounts, messages: Type.Array(OutboxEntry) }),
})

export const getOutboxEntry = defineOperation({
  id: 'getOutboxEntry',
  method: 'get',
  path: '/v1/outbox/:queueId',
  tag: 'Outbox',
  summary: 'Read a message in the outbox',
  description:
    'Sent and failed messages are available during their retention period (`SVC_SENDER_KEEP_FINISHED`).',
  scope: 'api',
  permission: { action: 'read', group: 'outbox' },
  params,
  response: OutboxEntry,
  errors: ['NotFound'],
})

export const deleteOutboxEntry = defineOperation({
  id: 'deleteOutboxEntry',
  method: 'delete',
  path: '/v1/outbox/:queueId',
  tag: 'Outbox',
  summary: 'Cancel a message in the outbox',
  description:
    'No event is emitted. Fails with `UnsupportedOperation` while an attempt to send the message runs.',
  scope: 'api',
  permission: { action: 'destructive', group: 'outbox' },
  params,
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ deleted: Type.Boolean() }),
  errors: changeErrors,
})

export const holdOutboxEntry = defineOperation({
  id: 'holdOutboxEntry',
  method: 'put',
  path: '/v1/outbox/:queueId/hold',
  tag: 'Outbox',
  summary: 'Hold a message in the outbox',
  description:
    'A held message is not sent until it is released, sent or deleted. Fails with `UnsupportedOperation` while an attempt to send the message runs.',
  scope: 'api',
  permission: { action: 'write', group: 'outbox' },
  params,
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ held: Type.Boolean() }),
  errors: changeErrors,
})

export const releaseOutboxEntry = defineOperation({
  id: 'releaseOutboxEntry',
  method: 'put',
  path: '/v1/outbox/:queueId/release',
  tag: 'Outbox',
  summary: 'Release a held message',
  description:
    'The message is due immediately, or at its `sendAt`. A message that is not held is not changed.',
  scope: 'api',
  permission: { action: 'write', group: 'outbox' },
  params,
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ released: Type.Boolean() }),
  errors: ['NotFound', 'WorkerNotAvailable', 'Timeout'],
})

export const sendOutboxEntry = defineOperation({
  id: 'sendOutboxEntry',
  method: 'put',
  path: '/v1/outbox/:queueId/send',
  tag: 'Outbox',
  summary: 'Send a message in the outbox now',
  description:
    'Makes a held, scheduled or retrying message due immediately. Paused queues and suspended servers still delay it.',
  scope: 'api',
  permission: { action: 'write', group: 'outbox' },
  params,
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ due: Type.Boolean() }),
  errors: ['NotFound', 'WorkerNotAvailable', 'Timeout'],
})
