import { type Static, Type } from 'typebox'
import { Int, OneOf } from './primitives.ts'

/** Work queues that can be paused: `submit` sends messages, `notify` delivers webhooks. */
export const pausableQueues = ['notify', 'submit'] as const
export const PausableQueue = OneOf(pausableQueues, {
  description: 'Queue: `submit` sends messages, `notify` delivers webhooks.',
})
export type PausableQueue = (typeof pausableQueues)[number]

/** Number of entries in a work queue, by state. Counting stops at 10,000. */
export const QueueJobs = Type.Object(
  {
    active: Int('Entries in progress (at most 10,000).'),
    delayed: Int('Entries waiting for `sendAt` or their next attempt (at most 10,000).'),
    paused: Int(
      'Due entries delayed by the pause. For `submit` includes held messages (at most 10,000).',
    ),
    waiting: Int('Due entries not in progress (at most 10,000).'),
  },
  { description: 'Numbers of entries by state.' },
)
export type QueueJobs = Static<typeof QueueJobs>
