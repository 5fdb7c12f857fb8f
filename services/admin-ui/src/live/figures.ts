import type { LiveTopic } from '@posthorn/contracts/admin/live'
import type { Stats } from '@posthorn/contracts/schemas/stats'

/**
 * Topics of live updates whose lists have probably changed since the previous statistics, because a
 * number about them has changed. Empty for the first statistics.
 */
export function changedTopics(previous: Stats | undefined, current: Stats): LiveTopic[] {
  if (!previous) return []
  const numbers = { changes: accounts, outbox: submissions, deliveries } as const
  return (['changes', 'outbox', 'deliveries'] as const).filter(
    (topic) => JSON.stringify(numbers[topic](previous)) !== JSON.stringify(numbers[topic](current)),
  )
}

const accounts = ({ accounts: count, connections }: Stats) => [count, connections]
const submissions = ({ queues, counters }: Stats) => [
  queues.submit,
  countersOf(counters, 'submit:'),
]
const deliveries = ({ queues, counters }: Stats) => [
  queues.notify,
  countersOf(counters, 'webhooks:'),
]

function countersOf(counters: Stats['counters'], prefix: string) {
  return Object.entries(counters).filter(([name]) => name.startsWith(prefix))
}
