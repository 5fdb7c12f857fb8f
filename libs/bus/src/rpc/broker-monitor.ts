import { setImmediate as pendingEvents } from 'node:timers/promises'

export interface BrokerMonitorOptions {
  /** True while a request of this process waits for a reply. */
  isWaiting: () => boolean
  /** Publishes an echo message to this process. Returns false if that is not possible now. */
  sendEcho: () => boolean
  /**
   * Called with true when RabbitMQ stops delivering, and with false when RabbitMQ delivers again.
   */
  onChange: (isSilent: boolean) => void
}

/**
 * Silence of RabbitMQ in which requests wait before an echo is sent; most replies arrive earlier.
 */
const maxSilenceMs = 500
/**
 * Maximum time from an echo message to its delivery, which takes about 1 ms. A silent broker gets
 * another echo then: requests, whose replies would end the silence, fail.
 */
const maxEchoMs = 1_000

/**
 * Detects a RabbitMQ broker that keeps its connections and delivers nothing, which heartbeats take
 * 10 to 15 s for. While a request waits and no frame arrives, the monitor sends an echo through the
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

  /** True while the RabbitMQ broker delivers nothing. */
  get isSilent(): boolean {
    return this.#isSilent
  }

  /** Starts watching the RabbitMQ broker because a request waits. */
  watch(): void {
    this.#timer ??= setTimeout(() => void this.#onSilence(), maxSilenceMs).unref()
  }

  /** Records that a frame arrived from the RabbitMQ broker. */
  received(): void {
    this.reset()
    if (this.#options.isWaiting()) this.watch()
  }

  /** Stops watching the broker until the next request, such as after a loss of the connection. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isEchoPending = false
    this.#setSilent(false)
  }

  async #onSilence(): Promise<void> {
    const timer = this.#timer
    // After a pause of this process, frames of the broker may have arrived that are not processed
    // yet.
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
