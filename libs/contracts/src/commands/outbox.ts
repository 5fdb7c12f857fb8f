import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

// Commands served by any sender, the only writer of queued submissions: exchange, key and shared
// queue `outbox`.

/** Changes a submission in the outbox, unless a sending attempt is running. */
export const changeOutbox = defineCommand({
  name: 'changeOutbox',
  request: Strict({
    queueId: Type.String(),
    action: OneOf(['delete', 'hold', 'release', 'send']),
  }),
  response: Type.Object({
    /**
     * Result of the change. `missing`: the submission is not in the outbox. `busy`: an attempt is
     * running.
     */
    result: OneOf(['done', 'missing', 'busy']),
  }),
})

/**
 * Asks a sender process whether that process is running: exchange `outbox`, key `outbox.<sender>`.
 * Sent by other senders, about submissions in handover to an SMTP server. If the request is
 * unroutable, the sender has ended.
 */
export const isSending = defineCommand({
  name: 'isSending',
  request: Strict({}),
  response: Type.Object({}),
})
