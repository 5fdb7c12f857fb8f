import { type Static, Type } from 'typebox'
import { Int, OneOf } from './primitives.ts'

/** Work queues that can be paused: `submit` sends messages, `notify` delivers webhooks. */
export const pausableQueues = ['notify', 'submit'] as const
export const PausableQueue = OneOf(pausableQueues, {
  description: 'Work queue: `submit` sends messages, `notify` delivers webhooks.',
})
export type PausableQueue = (typeof pausableQueues)[number]

/** Number of entries in a work queue, by state. Counting stops at 10,000. */
export const QueueJobs = Type.Object(
  {
    active: Int(
      'Number of entries of the work queue that are in progress. Counting stops at 10,000.',
    ),
    delayed: Int(
      'Number of entries of the work queue that wait for `sendAt` or for the next attempt. Counting stops at 10,000.',
    ),
    paused: Int(
      'Number of due entries of the work queue that wait because the queue is paused. For the queue `submit`, also held messages. Counting stops at 10,000.',
    ),
    waiting: Int(
      'Number of due entries of the work queue that are not yet in progress. Counting stops at 10,000.',
    ),
  },
  { description: 'Numbers of entries in the work queue, by state.' },
)
export type QueueJobs = Static<typeof QueueJobs>
