import { setImmediate as pendingEvents } from 'node:timers/promises'

export interface BrokerMonitorOptions {
  /** True while a request waits for a reply. */
  isWaiting: () => boolean
  /** Publishes a message to this process. Returns false if that is not possible now. */
  sendEcho: () => boolean
  /**
   * Called with true when the broker stops delivering, and with false when the broker delivers
   * again.
   */
  onChange: (isSilent: boolean) => void
}

/** Silence in which requests wait before an echo is sent; most replies arrive earlier. */
const maxSilenceMs = 500
/**
 * Maximum time from an echo to its delivery, which takes about 1 ms. A silent broker gets another
 * echo then: requests, whose replies would end the silence, fail.
 */
const maxEchoMs = 1_000

/**
 * Detects a broker that keeps its connections and delivers nothing, which heartbeats take 10 to
 * 15 s for. While a request waits and no frame arrives, the monitor sends an echo through the
 * broker to the reply queue of this process.
 */
export class BrokerMonitor {
  readonly #options: BrokerMonitorOptions
  #timer: NodeJS.Timeout | undefined
  #isEchoPending = false
  #isSilent = false

  constructor(options: BrokerMonitorOptions) {
    this.#options = options
  }

  /** True while the broker delivers nothing. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Starts watching the broker because a request waits. */
  watch(): void {
    this.#timer ??= setTimeout(() => void this.#onSilence(), maxSilenceMs).unref()
  }

  /** Records a frame from the broker. */
  received(): void {
    this.reset()
    if (this.#options.isWaiting()) this.watch()
  }

  /** Stops watching until the next request, such as after a loss of the connection. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isEchoPending = false
    this.#setSilent(false)
  }

  async #onSilence(): Promise<void> {
    const timer = this.#timer
    // After a pause of this process, frames may have arrived that are not processed yet.
    await pendingEvents()
    if (timer !== this.#timer) return
    this.#timer = undefined
    if (this.#isEchoPending) this.#setSilent(true)
    if (!this.#isSilent && !this.#options.isWaiting()) return
    this.#isEchoPending = this.#options.sendEcho()
    const delayMs = this.#isEchoPending ? maxEchoMs : maxSilenceMs
    this.#timer = setTimeout(() => void this.#onSilence(), delayMs).unref()
  }

  #setSilent(isSilent: boolean): void {
    if (isSilent === this.#isSilent) return
    this.#isSilent = isSilent
    this.#options.onChange(isSilent)
  }
}
