import { type Static, Type } from 'typebox'
import { OneOf } from './primitives.ts'

/** Queues that can be paused: `submit` sends messages, `notify` delivers webhooks. */
export const pausableQueues = ['notify', 'submit'] as const
export const PausableQueue = OneOf(pausableQueues)
export type PausableQueue = (typeof pausableQueues)[number]

/** Numbers of entries. Counting stops at 10,000. */
export const QueueJobs = Type.Object({
  active: Type.Integer({ description: 'Entries in progress (at most 10,000).' }),
  delayed: Type.Integer({
    description: 'Entries waiting for `sendAt` or their next attempt (at most 10,000).',
  }),
  paused: Type.Integer({
    description:
      'Due entries delayed by the pause. For `submit` includes held messages (at most 10,000).',
  }),
  waiting: Type.Integer({ description: 'Due entries not in progress (at most 10,000).' }),
})
export type QueueJobs = Static<typeof QueueJobs>
