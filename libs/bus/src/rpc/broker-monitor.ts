import { setImmediate as pendingEvents } from 'node:timers/promises'

export interface BrokerMonitorOptions {
  /** True while an RPC request of this process waits for a reply. */
  isWaiting: () => boolean
  /**
   * Publishes an echo message to this process through RabbitMQ. Returns false if no message can be
   * published now.
   */
  sendEcho: () => boolean
  /**
   * Called with true when RabbitMQ stops delivering, and with false when RabbitMQ delivers again.
   */
  onChange: (isSilent: boolean) => void
}

/**
 * Maximum time without frames from RabbitMQ, while RPC requests wait for replies, before an echo
 * message is sent. Most replies arrive earlier.
 */
const maxSilenceMs = 500
/**
 * Maximum time from an echo message to its delivery, which normally takes about 1 ms. While the
 * broker stays silent, an echo is sent at this interval: new requests fail, so that no reply could
 * end the silence.
 */
const maxEchoMs = 1_000

/**
 * Monitor that detects a RabbitMQ broker that keeps its connections open but delivers nothing.
 * Heartbeats would need 10 to 15 s to detect such a broker. While a request waits and no frame
 * arrives, the monitor sends an echo message through the broker to the reply queue of this process.
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

  /** Starts watching the RabbitMQ broker. Called when a request begins to wait for its reply. */
  watch(): void {
    this.#timer ??= setTimeout(() => void this.#onSilence(), maxSilenceMs).unref()
  }

  /** Records that a frame arrived from the RabbitMQ broker. */
  received(): void {
    this.reset()
    if (this.#options.isWaiting()) this.watch()
  }

  /**
   * Stops watching the RabbitMQ broker until the next request, for example when the connection was
   * lost.
   */
  reset(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isEchoPending = false
    this.#setSilent(false)
  }

  async #onSilence(): Promise<void> {
    const timer = this.#timer
    // Pending I/O events are processed first, before the RabbitMQ connection counts as silent. If
    // this process was suspended, frames of RabbitMQ may have arrived that are not processed yet.
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
