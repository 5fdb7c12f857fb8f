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
 * Maximum wall-clock time in which a worker (thread or process) must have processed a message, as a
 * multiple of the maximum CPU time. On a loaded host, wall-clock time is much longer than CPU time.
 */
const wallClockFactor = 10
/** Minimum time between two checks of the CPU time of a worker (thread or process). */
const minCheckMs = 10

export interface PoolWorkerOptions extends WorkerOptions {
  /**
   * Maximum CPU time in which a worker (thread or process) must process one message of its pool.
   * The wall-clock time may be ten times as long.
   */
  timeoutMs: number
}

interface OutgoingRequest {
  request: unknown
  /**
   * Maximum CPU time for processing the message with this request in a worker (thread or process).
   * Replaces the maximum of the worker.
   */
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
 * Worker (thread or process) of a pool, which processes one message at a time. If a message exceeds
 * a limit, the worker is ended and is then `dead`.
 */
export class PoolWorker {
  readonly #timeoutMs: number
  readonly #channel: WorkerChannel
  readonly #ready = Promise.withResolvers<void>()
  /**
   * CPU time in microseconds that the worker (thread or process) had used before the current
   * message.
   */
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
    // The start of a worker (thread or process) has a timeout of its own, because the start does
    // not count towards the time of the first message.
    const timer = setTimeout(() => void this.end(new WorkerError('not-started')), startTimeoutMs)
    const onSettled = () => clearTimeout(timer)
    this.#ready.promise.then(onSettled, onSettled)
  }

  get dead(): boolean {
    return this.#error !== undefined
  }

  /**
   * Index of the request that the worker (thread or process) is executing, within the current
   * message from the pool. After the end of the worker, index of the request that caused the end.
   */
  get currentIndex(): number {
    return this.#channel.currentIndex()
  }

  /**
   * Sends several requests to the worker (thread or process) as one message. Returns the responses
   * to the first requests, at least to one. The remaining requests were not started.
   * @throws WorkerError
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
   * Ends the worker (thread or process). If a message of the pool is in progress, its `run` call
   * rejects with the error of the first call of `end`.
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

  /**
   * Ends the worker (thread or process) if its current message has used its maximum CPU time, or if
   * its maximum wall-clock time has passed.
   */
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
