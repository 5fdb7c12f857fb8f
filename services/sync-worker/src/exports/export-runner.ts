import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { ShardObserver } from '../shards/shard-accounts.ts'
import type { Lease } from '../store/lease.ts'
import { listUnfinishedExports } from '../store/running-exports.ts'
import type { RunDeps } from './export-run.ts'
import { runExport } from './run-export.ts'

/** Interval at which a worker looks for new and cancelled exports. */
const pollMs = 1_000

interface RunningExport {
  shard: number
  stop: AbortController
  done: Promise<void>
}

/**
 * Runs the unfinished exports of this worker's shards (groups of accounts). New exports start, and
 * cancelled exports stop, within a second. The release of a shard waits until the shard's exports
 * have stopped. The next holder of the shard continues each export at its stored position.
 */
export class ExportRunner implements ShardObserver, AsyncDisposable {
  readonly #deps: RunDeps
  readonly #shards = new Set<number>()
  readonly #running = new Map<string, RunningExport>()
  readonly #poll: PeriodicTask

  constructor(deps: RunDeps) {
    this.#deps = deps
    const { log } = deps
    this.#poll = runPeriodically({ everyMs: pollMs, log, name: 'exports' }, () => this.#reconcile())
  }

  claimed(leases: readonly Lease[]): Promise<void> {
    for (const { shard } of leases) this.#shards.add(shard)
    this.#poll.wake()
    return Promise.resolve()
  }

  async released(shards: readonly number[]): Promise<void> {
    for (const shard of shards) this.#shards.delete(shard)
    await this.#stop(({ shard }) => shards.includes(shard))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#poll[Symbol.asyncDispose]()
    await this.#stop(() => true)
  }

  async #reconcile(): Promise<void> {
    const unfinished = await listUnfinishedExports(this.#deps.commit.db, [...this.#shards])
    const ids = new Set(unfinished.map(({ exportId }) => exportId))
    for (const [exportId, { stop }] of this.#running) if (!ids.has(exportId)) stop.abort()
    for (const listed of unfinished)
      if (this.#shards.has(listed.shard) && !this.#running.has(listed.exportId)) this.#start(listed)
  }

  #start({ exportId, account, shard }: { exportId: string; account: string; shard: number }): void {
    const stop = new AbortController()
    const { metrics } = this.#deps
    metrics.running(1)
    const done = runExport(this.#deps, { exportId, account }, stop.signal).finally(() => {
      metrics.running(-1)
      this.#running.delete(exportId)
    })
    this.#running.set(exportId, { shard, stop, done })
  }

  async #stop(selects: (running: RunningExport) => boolean): Promise<void> {
    const selected = [...this.#running.values()].filter(selects)
    for (const { stop } of selected) stop.abort()
    await Promise.all(selected.map(({ done }) => done))
  }
}
