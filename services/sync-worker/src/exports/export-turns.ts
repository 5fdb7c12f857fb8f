import { monitorEventLoopDelay } from 'node:perf_hooks'
import { KeyedMutex, Semaphore, sleep } from '@posthorn/flow'

/**
 * Maximum exports that work concurrently in one worker. Each export takes up to 30 MiB: two batches
 * of 6 MiB, one FETCH of 48 messages of up to 320 KiB, and the chunk in progress.
 */
const maxTurns = 2
/** Delay of the event loop in milliseconds above which exports pause. */
const maxLagMs = 50
/** Interval at which a pausing export checks whether it may continue. */
const pauseMs = 100
/**
 * Maximum total pause in one turn of an export, so that exports continue slowly on a busy worker.
 */
const maxPauseMs = 5_000

export interface TurnOptions {
  account: string
  /** True while new mail of the account waits for a sync, so that the account's export pauses. */
  isSyncDue: () => boolean
  signal: AbortSignal
}

/** Turn of an export: permission to work for a limited time. Disposal ends the turn. */
export interface Turn extends Disposable {
  /**
   * Waits while new mail of the account waits for a sync or the event loop lags, up to 5 s per
   * turn.
   */
  pause: () => Promise<void>
}

/**
 * Gives exports their turns (permissions to work for a limited time). An account runs one export at
 * a time. All accounts wait in one queue. Exports pause while the event loop lags.
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

  /** Waits for the turn of an export: the permission to work for a limited time. */
  async take(options: TurnOptions): Promise<Turn> {
    const { account, signal } = options
    using stack = new DisposableStack()
    stack.use(await this.#accounts.acquire(account, signal))
    const pause = this.#pauseOf(options)
    await pause()
    stack.use(await this.#turns.acquire(signal))
    const permits = stack.move()
    return { pause, [Symbol.dispose]: () => permits.dispose() }
  }

  #pauseOf({ isSyncDue, signal }: TurnOptions): Turn['pause'] {
    let pausedMs = 0
    return async () => {
      for (; (isSyncDue() || this.#isLagging) && pausedMs < maxPauseMs; pausedMs += pauseMs)
        await sleep(pauseMs, signal)
    }
  }

  get #isLagging(): boolean {
    return this.#delays.percentile(90) / 1e6 > maxLagMs
  }

  [Symbol.dispose](): void {
    clearInterval(this.#reset)
    this.#delays.disable()
  }
}
