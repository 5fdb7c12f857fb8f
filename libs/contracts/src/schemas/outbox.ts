import { type Static, Type } from 'typebox'
import { IsoDate, Nullable, OneOf } from './primitives.ts'

/** States of a submission. `sent` and `failed` rows are deleted after a retention period. */
export const outboxStates = ['queued', 'held', 'sent', 'failed'] as const

/** Steps of sending. After `error`, `nextAttempt` is the time of the next attempt or false. */
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
      'Step of the current attempt. `processing`: started; `smtp-starting`: connecting; `smtp-completed`: message transmitted, waiting for the reply; `submitted`: accepted by the server; `error`: the last attempt failed.',
  }),
  response: Type.Optional(
    Type.String({ description: 'Reply of the server that accepted the message.' }),
  ),
  messageId: Type.Optional(Type.String({ description: 'Message-ID used by the server.' })),
  originalMessageId: Type.Optional(
    Type.String({ description: 'Submitted Message-ID, if the server replaced it.' }),
  ),
  error: Type.Optional(
    Type.Object({
      message: Type.String(),
      code: Type.Optional(Type.String()),
      statusCode: Type.Optional(Type.Integer({ description: 'SMTP reply code.' })),
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

/** Submission in the outbox. Credentials in `proxy` are masked. */
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
  scheduled: Type.String({
    format: 'date-time',
    description: 'Earliest time of sending (ISO 8601).',
  }),
  nextAttempt: Type.Union([IsoDate, Type.Literal(false)], {
    description:
      'Time of the next attempt (ISO 8601). False while an attempt runs and if the message is held, sent or failed.',
  }),
  attemptsMade: Type.Integer(),
  attempts: Type.Integer({ description: 'Maximum number of attempts.' }),
  progress: Progress,
})
export type OutboxEntry = Static<typeof OutboxEntry>
