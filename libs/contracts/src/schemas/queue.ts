import { type Static, Type } from 'typebox'
import { OneOf } from './primitives.ts'

/** Work that can be paused: `submit` sends messages, `notify` delivers webhooks. */
export const pausableQueues = ['notify', 'submit'] as const
export const PausableQueue = OneOf(pausableQueues)
export type PausableQueue = (typeof pausableQueues)[number]

/** Counted as far as it is cheap: 10,000 means that many or more. */
export const QueueJobs = Type.Object({
  active: Type.Integer({ description: 'In hand' }),
  delayed: Type.Integer({
    description: 'For later: waiting for their next attempt, or for `sendAt`',
  }),
  paused: Type.Integer({
    description: 'Due, and kept back by the pause; of `submit` also what is held',
  }),
  waiting: Type.Integer({ description: 'Due, and not in hand' }),
})
export type QueueJobs = Static<typeof QueueJobs>
