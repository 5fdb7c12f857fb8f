import type { WorkQueue } from '../../data/lists/work-queues.ts'

/** Number at which the API stops counting the entries of a work queue. */
const maxCounted = 10_000

/** Number of entries of a work queue, in words. */
export function countText(count: number): string {
  const text = count.toLocaleString('en')
  return count >= maxCounted ? `${text} or more` : text
}

/** Work queue as the pages name it, with the list of its entries. */
export interface QueueNames {
  title: string
  list: string
  /** Effect of a pause of the work queue, in words. */
  pause: string
}

/** Names of the work queues. */
export const queueNames: Readonly<Record<WorkQueue['queue'], QueueNames>> = {
  submit: {
    title: 'Messages to send',
    list: '/outbox',
    pause: 'No message is sent until the queue is resumed. Programs can still submit messages.',
  },
  notify: {
    title: 'Webhook deliveries',
    list: '/deliveries',
    pause: 'No webhook is delivered until the queue is resumed. Events are stored.',
  },
}
