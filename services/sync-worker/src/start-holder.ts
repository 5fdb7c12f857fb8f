import type { CommandServer } from '@posthorn/bus'
import type { ServiceContext } from '@posthorn/service/bootstrap'
import type { Config } from './config.ts'
import { registerLoadMetrics } from './metrics.ts'
import type { createSessions } from './sessions/create-sessions.ts'
import { bindShards } from './shards/bindings.ts'
import { holdShards, type ShardHolder } from './shards/holder.ts'
import { MemoryGuard } from './shards/memory-guard.ts'
import { processMemories } from './shards/process-memory.ts'
import type { ShardObserver } from './shards/shard-accounts.ts'
import { countUnclaimedAccounts } from './store/shards.ts'

/** Objects of the sync-worker process that the holder of shards (groups of accounts) needs. */
export interface HolderDeps {
  service: ServiceContext
  parts: ReturnType<typeof createSessions>
  config: Config
  worker: { id: string; proof: string }
  observers: readonly ShardObserver[]
}

/**
 * Starts to claim and release shards (groups of accounts) for this sync-worker, with the limits of
 * its memory and of logins.
 */
export function startHolder(
  server: CommandServer,
  { service: { db, bus, log, metrics: registry }, parts, config, worker, observers }: HolderDeps,
): ShardHolder {
  const { sessions, metrics, quota } = parts
  const { loginRate, lending } = quota
  const memories = processMemories()
  const memory = new MemoryGuard({ log, onChange: metrics.refusingShards, memories })
  registerLoadMetrics(registry, {
    accounts: () => sessions.load().accounts,
    limitBytes: memories[0].limitBytes,
    bytesPerAccount: () => memory.bytesPerAccount,
    capacity: () => memory.capacity,
    unclaimedAccounts: () => countUnclaimedAccounts(db, 3 * config.heartbeatMs),
  })
  const observer = bindShards(server, observers, log)
  const limits = { memory, loginRate, lending }
  const whenConnected = (signal: AbortSignal) => bus.whenUp(signal)
  const common = { db, worker, config, log, metrics, whenConnected }
  return holdShards({ ...common, observer, accounts: sessions, limits })
}
