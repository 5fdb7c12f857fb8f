import type { CommandServer } from '@posthorn/bus'
import { settleWithin } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { ShardObserver } from './shard-accounts.ts'

/**
 * Maximum wait for RabbitMQ before shards are released. Commands that still arrive are rejected,
 * because the worker does not hold the shard.
 */
const unbindMs = 1_000

/**
 * Creates the observer that binds the command queue to the leased shards and forwards shard changes
 * to other observers.
 */
export function bindShards(
  server: CommandServer,
  observers: readonly ShardObserver[],
  log: Logger,
): ShardObserver {
  const key = (shard: number) => `shard.${shard}`
  const warn = (err: unknown) => log.warn({ err }, 'shard binding failed, will retry')
  return {
    async claimed(leases) {
      for (const observer of observers) await observer.claimed(leases)
      // Not awaited: syncs go on while RabbitMQ is unavailable.
      void Promise.all(leases.map(({ shard }) => server.bind(key(shard)))).catch(warn)
    },
    async released(shards) {
      const unbound = Promise.all(shards.map((shard) => server.unbind(key(shard)))).catch(warn)
      await settleWithin(unbound, unbindMs)
      await Promise.all(observers.map((observer) => observer.released(shards)))
    },
  }
}
