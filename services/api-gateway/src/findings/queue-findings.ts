import { defined } from '@posthorn/contracts/defined'
import type { Finding } from '@posthorn/contracts/schemas/finding'
import { type PausableQueue, pausableQueues } from '@posthorn/contracts/schemas/queue'
import type { Backlog } from '../store/installation/findings.ts'

export interface QueueState {
  paused: readonly { queue: string; pausedAt: Date }[]
  /**
   * Entries of each work queue (submissions, webhook deliveries) that have been due for longer than
   * five minutes.
   */
  late: Readonly<Record<PausableQueue, Backlog>>
}

const texts: Readonly<Record<PausableQueue, { name: string; work: string; service: string }>> = {
  notify: { name: 'webhook deliveries', work: 'Webhooks', service: 'webhook-dispatcher' },
  submit: { name: 'messages to send', work: 'Messages', service: 'sender' },
}

/**
 * Findings about work queues (submissions, webhook deliveries) that are paused or late. A paused
 * queue is not reported as late, because its entries wait for the operator.
 */
export function queueFindings({ paused, late }: QueueState): Finding[] {
  return pausableQueues.flatMap((queue) => {
    const pause = paused.find((each) => each.queue === queue)
    if (pause) return [queuePaused(queue, pause.pausedAt, late[queue])]
    return late[queue].count > 0 ? [queueLate(queue, late[queue])] : []
  })
}

function queuePaused(queue: PausableQueue, pausedAt: Date, { count }: Backlog): Finding {
  const { name, work } = texts[queue]
  return {
    id: `queuePaused:${queue}`,
    level: count > 0 ? 'warning' : 'info',
    title: `The queue ${queue} is paused`,
    detail: `${work} wait until the queue is resumed. Due for more than five minutes: ${count} ${name}.`,
    remedy: `Resume the queue ${queue} once the reason for the pause has ended.`,
    count,
    since: pausedAt.toISOString(),
  }
}

function queueLate(queue: PausableQueue, { count, oldestAt }: Backlog): Finding {
  const { name, work, service } = texts[queue]
  return defined({
    id: `queueLate:${queue}`,
    level: 'warning' as const,
    title: `${work} are late`,
    detail: `Due for more than five minutes: ${count} ${name}. A server that fails or throttles delays only its own entries.`,
    remedy: `Check that ${service} runs and has enough replicas, and that the servers of the late entries respond.`,
    count,
    since: oldestAt?.toISOString(),
  })
}
