import { setTimeout as delay } from 'node:timers/promises'
import type { CommandServer } from '@posthorn/bus'
import type { Logger } from '@posthorn/telemetry'
import type { ShardObserver } from './holder.ts'

/** How long giving shards away may wait for a broker that does not answer: whoever asks us meanwhile is told that we hold nothing. */
const unbindMs = 1_000

/** Takes the commands for the accounts of the shards held, beside whatever else is done with the shards. */
export function bindShards(server: CommandServer, user: ShardObserver, log: Logger): ShardObserver {
  const key = (shard: number) => `shard.${shard}`
  const warn = (err: unknown) => log.warn({ err }, 'the bindings of shards are made good later')
  return {
    async claimed(leases) {
      await user.claimed(leases)
      // The broker may be away: work on the accounts does not wait for it.
      void Promise.all(leases.map(({ shard }) => server.bind(key(shard)))).catch(warn)
    },
    async released(shards) {
      const unbound = Promise.all(shards.map((shard) => server.unbind(key(shard)))).catch(warn)
      await Promise.race([unbound, delay(unbindMs, undefined, { ref: false })])
      await user.released(shards)
    },
  }
}
