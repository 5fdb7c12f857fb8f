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
/** `UnsupportedOperation`: the message is being delivered at this moment, and nothing was changed. */
const changeErrors = ['NotFound', 'UnsupportedOperation', 'WorkerNotAvailable', 'Timeout'] as const
const beingDelivered =
  'Refused as `UnsupportedOperation` while the message is being delivered: what comes of that is known soon.'

/** What waits to be sent, of all accounts, oldest first; with `state`, what is in that state. */
export const listOutbox = defineOperation({
  id: 'listOutbox',
  method: 'get',
  path: '/v1/outbox',
  tag: 'Outbox',
  summary: 'List messages to send',
  description: 'Without `state`: what is queued or held. `total` is exact up to 100,000.',
  scope: 'api',
  permission: { action: 'read', group: 'outbox' },
  query: Strict({
    ...pageQuery,
    account: Type.Optional(AccountId),
    state: Type.Optional(OneOf(outboxStates)),
  }),
  response: Type.Object({ ...pageCounts, messages: Type.Array(OutboxEntry) }),
})

/** Also of a message that is done with, as long as it is kept (`SVC_SENDER_KEEP_FINISHED`). */
export const getOutboxEntry = defineOperation({
  id: 'getOutboxEntry',
  method: 'get',
  path: '/v1/outbox/:queueId',
  tag: 'Outbox',
  summary: 'Read a message to send',
  scope: 'api',
  permission: { action: 'read', group: 'outbox' },
  params,
  response: OutboxEntry,
  errors: ['NotFound'],
})

/** Cancels a message that waits. No event tells of it. */
export const deleteOutboxEntry = defineOperation({
  id: 'deleteOutboxEntry',
  method: 'delete',
  path: '/v1/outbox/:queueId',
  tag: 'Outbox',
  summary: 'Cancel a message that waits to be sent',
  description: beingDelivered,
  scope: 'api',
  permission: { action: 'destructive', group: 'outbox' },
  params,
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ deleted: Type.Boolean() }),
  errors: changeErrors,
})

/** Keeps a message back until it is released, sent or deleted, however long that takes. */
export const holdOutboxEntry = defineOperation({
  id: 'holdOutboxEntry',
  method: 'put',
  path: '/v1/outbox/:queueId/hold',
  tag: 'Outbox',
  summary: 'Hold a message back',
  description: beingDelivered,
  scope: 'api',
  permission: { action: 'write', group: 'outbox' },
  params,
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ held: Type.Boolean() }),
  errors: changeErrors,
})

/** Ends a hold: the message is due, though not before its `sendAt`. One that is not held stays as it is. */
export const releaseOutboxEntry = defineOperation({
  id: 'releaseOutboxEntry',
  method: 'put',
  path: '/v1/outbox/:queueId/release',
  tag: 'Outbox',
  summary: 'Let a message go that is held back',
  scope: 'api',
  permission: { action: 'write', group: 'outbox' },
  params,
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ released: Type.Boolean() }),
  errors: ['NotFound', 'WorkerNotAvailable', 'Timeout'],
})

/** Makes a message due now: held, scheduled or waiting for its next attempt. A paused queue and a server that is left alone still wait. */
export const sendOutboxEntry = defineOperation({
  id: 'sendOutboxEntry',
  method: 'put',
  path: '/v1/outbox/:queueId/send',
  tag: 'Outbox',
  summary: 'Send a message now',
  scope: 'api',
  permission: { action: 'write', group: 'outbox' },
  params,
  headers: Type.Object(timeoutHeader),
  response: Type.Object({ due: Type.Boolean() }),
  errors: ['NotFound', 'WorkerNotAvailable', 'Timeout'],
})
