import { type Static, Type } from 'typebox'
import { IsoDate, Nullable, OneOf } from './primitives.ts'

/** Where a message to send can be. `queued` and `held` wait; the others are kept for a while to be looked up. */
export const outboxStates = ['queued', 'held', 'sent', 'failed'] as const

/** Where delivering it is. `error`: the last attempt failed, see `nextAttempt` for whether there will be another. */
const progressStatuses = [
  'queued',
  'processing',
  'smtp-starting',
  'smtp-completed',
  'submitted',
  'error',
] as const

const Progress = Type.Object({
  status: OneOf(progressStatuses, {
    description:
      '`processing`: in hand; `smtp-completed`: handed over, the answer is awaited; `submitted`: the server took it; `error`: the last attempt failed',
  }),
  response: Type.Optional(Type.String({ description: 'Of the server that took it' })),
  messageId: Type.Optional(Type.String({ description: 'As the server knows it' })),
  originalMessageId: Type.Optional(
    Type.String({ description: 'As it was submitted, where the server wrote another' }),
  ),
  error: Type.Optional(
    Type.Object({
      message: Type.String(),
      code: Type.Optional(Type.String()),
      statusCode: Type.Optional(Type.Integer({ description: "Of the server's reply" })),
      networkRouting: Type.Optional(
        Nullable(
          Type.Object({
            localAddress: Type.Optional(Type.String()),
            name: Type.Optional(Type.String()),
            proxy: Type.Optional(Type.String()),
          }),
        ),
      ),
    }),
  ),
})

/** A message to send. Credentials in `proxy` are masked. */
export const OutboxEntry = Type.Object({
  queueId: Type.String(),
  account: Type.String(),
  source: OneOf(['api', 'smtp']),
  state: OneOf(outboxStates),
  messageId: Type.String(),
  envelope: Type.Object({ from: Type.String(), to: Type.Array(Type.String()) }),
  subject: Nullable(Type.String()),
  gateway: Nullable(Type.String()),
  proxy: Nullable(Type.String()),
  localAddress: Nullable(Type.String()),
  idempotencyKey: Nullable(Type.String()),
  useStructuredFormat: Type.Boolean(),
  created: IsoDate,
  scheduled: Type.String({ format: 'date-time', description: 'Not sent before' }),
  nextAttempt: Type.Union([IsoDate, Type.Literal(false)], {
    description: 'False: in hand, held, or done with',
  }),
  attemptsMade: Type.Integer(),
  attempts: Type.Integer({ description: 'At most' }),
  progress: Progress,
})
export type OutboxEntry = Static<typeof OutboxEntry>
