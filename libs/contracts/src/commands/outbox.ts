import { Type } from 'typebox'
import { defineCommand } from '../define.ts'
import { OneOf, Strict } from '../schemas/primitives.ts'

// Asked of any sender, who alone changes the outbox: exchange `commands`, key and shared queue `outbox`.

/** Changes a message that waits. What is being delivered right now cannot be changed. */
export const changeOutbox = defineCommand({
  name: 'changeOutbox',
  request: Strict({
    queueId: Type.String(),
    action: OneOf(['delete', 'hold', 'release', 'send']),
  }),
  response: Type.Object({
    /** `missing`: there is no such message that waits. `busy`: it is being delivered. */
    result: OneOf(['done', 'missing', 'busy']),
  }),
})
