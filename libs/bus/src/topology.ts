import { eventPartitions, shardCount } from '@posthorn/contracts'

/** Exchange names are part of the deployment's public face: teams may bind queues of their own to `events`. */
export const exchanges = { events: 'events', commands: 'commands', invalidate: 'invalidate', dead: 'dead' } as const

/** The durable queues there are. A changed argument needs a new name: RabbitMQ refuses to redeclare (406). */
export type WorkQueue = `webhook.events.${number}` | 'sender.submissions'

export const eventQueues: readonly WorkQueue[] = Array.from({ length: eventPartitions }, (_, p): WorkQueue => `webhook.events.${p}`)
export const workQueues: readonly WorkQueue[] = [...eventQueues, 'sender.submissions']

/** The binding keys of an event queue: all events of the shards that fall on its partition. */
export function bindingKeys(partition: number): string[] {
  const keys: string[] = []
  for (let shard = partition; shard < shardCount; shard += eventPartitions) keys.push(`*.${shard}`)
  return keys
}
