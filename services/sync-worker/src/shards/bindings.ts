import type { CommandServer } from '@posthorn/bus'
import { settleWithin } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { ShardObserver } from './shard-accounts.ts'

/**
 * Maximum wait for RabbitMQ to unbind this worker's command queue before shards are released. The
 * worker rejects commands that still arrive, because the worker does not hold the shard.
 */
const unbindMs = 1_000

/**
 * Creates the shard observer that binds the worker's command queue to each leased shard. Forwards
 * the changes of shards to other observers.
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
      // The binding of the command queue to shards is not awaited, because syncs also run while
      // RabbitMQ is unavailable.
      void Promise.all(leases.map(({ shard }) => server.bind(key(shard)))).catch(warn)
    },
    async released(shards) {
      const unbound = Promise.all(shards.map((shard) => server.unbind(key(shard)))).catch(warn)
      await settleWithin(unbound, unbindMs)
      await Promise.all(observers.map((observer) => observer.released(shards)))
    },
  }
}
