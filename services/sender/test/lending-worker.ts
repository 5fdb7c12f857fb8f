import { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import type { ProviderLimitTable } from '@posthorn/backends/provider-limits'
import { type Bus, connectBus, on } from '@posthorn/bus'
import { lendUnits } from '@posthorn/contracts/commands/quota'
import { shardOf } from '@posthorn/contracts/shards'
import { createLogger, createMetrics } from '@posthorn/telemetry'

export interface LendingWorkerOptions {
  url: string
  limits: ProviderLimitTable
  accounts: readonly string[]
}

/** Stand-in for the sync-worker of accounts at mail APIs, which lends quota units to senders. */
export class LendingWorker implements AsyncDisposable {
  readonly #options: LendingWorkerOptions
  #running: Promise<Bus>
  /** Number of quota loans that the stand-in has granted. */
  loans = 0

  constructor(options: LendingWorkerOptions) {
    this.#options = options
    this.#running = this.#start()
  }

  /** Ends the stand-in for the sync-worker and starts another, which takes over the accounts. */
  replace(): void {
    this.#running = this.#running.then(async (bus) => {
      await bus[Symbol.asyncDispose]()
      return this.#start(performance.now())
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#running)[Symbol.asyncDispose]()
  }

  async #start(heldSince?: number): Promise<Bus> {
    const { url, limits, accounts } = this.#options
    const log = createLogger('test', 'silent')
    const bus = await connectBus({ url, name: 'test', log, metrics: createMetrics('test') })
    const held = heldSince === undefined ? {} : { heldSince: () => heldSince }
    const limiter = new ProviderLimiter({
      limits,
      service: 'sync-worker',
      replicas: () => 1,
      ...held,
    })
    const lend = on(lendUnits, async ({ account, provider, application, units }) => {
      const { isGranted, delayMs } = limiter.lend({ account, provider, application }, units)
      if (isGranted) this.loans += 1
      return { granted: isGranted ? units : 0, delayMs }
    })
    await bus.whenUp()
    const keys = accounts.map((account) => `shard.${shardOf(account)}`)
    await bus.serve({ queue: 'private', keys, handlers: [lend] })
    return bus
  }
}
