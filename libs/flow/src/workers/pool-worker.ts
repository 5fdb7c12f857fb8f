import type { Transferable } from 'node:worker_threads'
import {
  startWorker,
  type WorkerChannel,
  type WorkerMessage,
  type WorkerOptions,
} from './worker-channel.ts'
import { WorkerError } from './worker-error.ts'

const startTimeoutMs = 20_000
/**
 * Limit of the wall-clock time of a worker's message as a multiple of the CPU time, for hosts under
 * load.
 */
const wallClockFactor = 10
/** Minimum delay between two checks of a worker's CPU time. */
const minCheckMs = 10

export interface PoolWorkerOptions extends WorkerOptions {
  /**
   * Maximum CPU time of one message to the worker. The wall-clock time may be ten times as long.
   */
  timeoutMs: number
}

interface OutgoingRequest {
  request: unknown
  /** Maximum CPU time of the message with this request, instead of the maximum of the worker. */
  timeoutMs?: number
  transfer?: readonly Transferable[]
}

interface ActiveMessage {
  resolve: (responses: readonly unknown[]) => void
  reject: (error: Error) => void
  timeoutMs: number
  timer: ReturnType<typeof setTimeout>
  since: number
}

/**
 * Worker of a pool with one message in progress. A message beyond the limits ends the worker: it is
 * then `dead`.
 */
export class PoolWorker {
  readonly #timeoutMs: number
  readonly #channel: WorkerChannel
  readonly #ready = Promise.withResolvers<void>()
  /** CPU time of the worker before the current message. */
  #cpuMicrosBefore = 0
  #running: ActiveMessage | undefined
  #error: Error | undefined
  #terminated: Promise<void> | undefined

  constructor(options: PoolWorkerOptions) {
    this.#timeoutMs = options.timeoutMs
    this.#channel = startWorker(options, {
      onMessage: (message) => this.#onMessage(message),
      onEnd: (failure, cause) => {
        this.#ready.reject(new WorkerError('not-started', cause))
        void this.end(new WorkerError(failure, cause))
      },
    })
    // The start of a worker does not count as time of a message.
    const timer = setTimeout(() => void this.end(new WorkerError('not-started')), startTimeoutMs)
    const onSettled = () => clearTimeout(timer)
    this.#ready.promise.then(onSettled, onSettled)
  }

  get dead(): boolean {
    return this.#error !== undefined
  }

  /** Index within its message of the request that the worker runs, or that ended the worker. */
  get currentIndex(): number {
    return this.#channel.currentIndex()
  }

  /**
   * Sends requests to the worker as one message. Returns the responses of the first requests, at
   * least one; the other requests were not started. @throws WorkerError
   */
  async run(calls: readonly OutgoingRequest[]): Promise<readonly unknown[]> {
    this.#channel.setReferenced(true)
    const timeoutMs = Math.max(...calls.map((call) => call.timeoutMs ?? this.#timeoutMs))
    try {
      await this.#ready.promise
      if (this.#error) throw this.#error
      return await new Promise<readonly unknown[]>((resolve, reject) => {
        const timer = this.#checkLater(timeoutMs)
        this.#running = { resolve, reject, timeoutMs, timer, since: performance.now() }
        this.#channel.send(
          calls.map(({ request }) => request),
          calls.flatMap(({ transfer }) => transfer ?? []),
        )
      })
    } finally {
      clearTimeout(this.#running?.timer)
      this.#running = undefined
      this.#channel.setReferenced(false)
    }
  }

  /**
   * Ends the worker. A message in progress is rejected with the error of the first call of `end`.
   */
  async end(error: Error): Promise<void> {
    if (!this.#error) {
      this.#error = error
      this.#ready.reject(error)
      this.#running?.reject(error)
      this.#terminated = this.#channel.terminate()
    }
    await this.#terminated
  }

  #onMessage({ responses, cpuMicros }: WorkerMessage): void {
    this.#cpuMicrosBefore = cpuMicros
    if (responses) this.#running?.resolve(responses)
    else this.#ready.resolve()
  }

  #checkLater(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => void this.#checkTime(), ms)
  }

  /** Ends the worker by its CPU time, or if it got hardly any CPU time for long. */
  async #checkTime(): Promise<void> {
    const running = this.#running
    if (!running) return
    const cpuMicros = (await this.#channel.cpuMicros()) ?? Infinity
    if (this.#running !== running) return
    const { timeoutMs } = running
    const leftMs = timeoutMs - (cpuMicros - this.#cpuMicrosBefore) / 1_000
    const waitedMs = performance.now() - running.since
    if (leftMs <= 0 || waitedMs >= wallClockFactor * timeoutMs)
      await this.end(new WorkerError('timeout'))
    else running.timer = this.#checkLater(Math.max(minCheckMs, leftMs))
  }
}
