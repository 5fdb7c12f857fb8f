import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

// Commands about submissions in the outbox, served by any sender. Only senders write queued
// submissions. The exchange, the routing key and the shared queue are all named `outbox`.

/**
 * Changes a submission (request to send a message) in the outbox, unless an attempt to send it is
 * running.
 */
export const changeOutbox = defineCommand({
  name: 'changeOutbox',
  request: Strict({
    queueId: Type.String(),
    action: OneOf(['delete', 'hold', 'release', 'send']),
  }),
  response: Type.Object({
    /**
     * Result of a command that changes a submission. `missing`: the submission is not in the
     * outbox. `busy`: an attempt to send the submission is running.
     */
    result: OneOf(['done', 'missing', 'busy']),
  }),
})

/**
 * Finds out whether a sender process is running: exchange `outbox`, routing key `outbox.<sender>`.
 * Other senders send this command when that sender has begun to end the SMTP data of a submission
 * and recorded no result. If RabbitMQ cannot route the command, the sender has ended.
 */
export const isSending = defineCommand({
  name: 'isSending',
  request: Strict({}),
  response: Type.Object({}),
})
