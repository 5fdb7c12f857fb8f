import { monitorEventLoopDelay } from 'node:perf_hooks'
import { KeyedMutex, type Permit, Semaphore, sleep } from '@posthorn/flow'

/**
 * Turns that run concurrently in one worker. A turn takes up to 30 MiB: two batches of 6 MiB, one
 * FETCH of 64 headers of up to 256 KiB, and the chunk in progress.
 */
const maxTurns = 2
/** Delay of the event loop above which exports pause. */
const maxLagMs = 50
/** Interval of measurements while exports pause. */
const pauseMs = 100
/** Maximum pause before one turn, so that exports go on, slowly, on a busy worker. */
const maxPauseMs = 5_000

export interface TurnOptions {
  account: string
  /** True while new mail of the account waits for a sync. */
  isSyncDue: () => boolean
  signal: AbortSignal
}

/**
 * Turns of exports. Accounts take turns: an account runs one export at a time and waits in one
 * queue with the others. Pauses exports while the event loop lags.
 */
export class ExportTurns implements Disposable {
  readonly #accounts = new KeyedMutex()
  readonly #turns = new Semaphore(maxTurns)
  readonly #delays = monitorEventLoopDelay({ resolution: 10 })
  readonly #reset: NodeJS.Timeout

  constructor() {
    this.#delays.enable()
    this.#reset = setInterval(() => this.#delays.reset(), 1_000)
    this.#reset.unref()
  }

  /** Waits for a turn. Disposing the permit ends the turn. */
  async take({ account, isSyncDue, signal }: TurnOptions): Promise<Permit> {
    using stack = new DisposableStack()
    stack.use(await this.#accounts.acquire(account, signal))
    const isBusy = () => this.#isLagging || isSyncDue()
    for (let pausedMs = 0; isBusy() && pausedMs < maxPauseMs; pausedMs += pauseMs)
      await sleep(pauseMs, signal)
    stack.use(await this.#turns.acquire(signal))
    return stack.move()
  }

  get #isLagging(): boolean {
    return this.#delays.percentile(90) / 1e6 > maxLagMs
  }

  [Symbol.dispose](): void {
    clearInterval(this.#reset)
    this.#delays.disable()
  }
}
