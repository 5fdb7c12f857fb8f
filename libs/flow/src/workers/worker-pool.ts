import { availableParallelism } from 'node:os'
import type { Transferable } from 'node:worker_threads'
import { FairQueue, type RunningItem } from '../fair-queue.ts'
import { PoolWorker, type PoolWorkerOptions } from './pool-worker.ts'
import { WorkerError, type WorkerFailure } from './worker-error.ts'

/** Default number of workers, at least two so that one slow call does not block all other calls. */
const defaultWorkers = Math.min(4, Math.max(2, availableParallelism()))

export interface WorkerPoolOptions extends PoolWorkerOptions {
  /** Maximum workers of the pool. Default: number of CPUs, at least 2, at most 4. */
  maxWorkers?: number
  /** Idle time of the worker pool after which its workers are ended. Default 60 s. */
  idleMs?: number
  /**
   * Maximum waiting calls of the pool; further calls reject with `QueueFullError`. Default: no
   * limit.
   */
  maxWaiting?: number
  /**
   * Maximum calls in one message to a worker, for calls that take less time than a message. Calls
   * may then run twice, because calls of an ended worker are repeated. Default 1.
   */
  maxBatch?: number
}

export interface WorkerCallOptions {
  /**
   * Key of the call, such as an account: calls of one key take turns with other keys, and never use
   * all workers.
   */
  key?: string
  /** Signal that withdraws a waiting call, or ends the worker of a call in flight. */
  signal?: AbortSignal
  /** Parts of the call's request that are moved instead of copied; needs a `maxBatch` of 1. */
  transfer?: readonly Transferable[]
  /** Maximum CPU time of the call, instead of the maximum of the worker pool. */
  timeoutMs?: number
  /**
   * Called before the call starts in a worker. An error of this function rejects the call, which
   * then does not start.
   */
  precondition?: () => void
}

interface Call extends WorkerCallOptions {
  request: unknown
  resolve: (response: unknown) => void
  reject: (error: unknown) => void
  /** Worker that runs the call while the call is in flight. */
  worker?: PoolWorker | undefined
}

type RunningCall = RunningItem<Call, string | undefined>

/** Failures of a worker whose cause is one call. The other calls of the message are repeated. */
const causedByCall: ReadonlySet<WorkerFailure> = new Set(['timeout', 'memory', 'crash'])

/** Error of a worker that ran a cancelled call. All calls of the message are repeated. */
const cancellation = new Error('call cancelled')

/**
 * Pool of workers (threads or processes) that run hostile or expensive calls, with limits of time,
 * memory and queue.
 *
 * Workers start on demand and end when idle. A worker that exceeds a limit, crashes or runs a
 * cancelled call is ended; only the call that caused the end is rejected, and the next call starts
 * another worker. Disposal rejects all calls and ends all workers.
 */
export class WorkerPool<Request, Response> implements AsyncDisposable {
  readonly #options: WorkerPoolOptions
  readonly #maxWorkers: number
  readonly #queue: FairQueue<Call, string | undefined>
  /** Calls of an earlier message to a worker that did not run. These calls precede the queue. */
  readonly #returned: RunningCall[] = []
  readonly #idle: PoolWorker[] = []
  readonly #workers = new Set<PoolWorker>()
  #sweep: ReturnType<typeof setTimeout> | undefined
  #isDisposed = false

  constructor(options: WorkerPoolOptions) {
    const { maxWorkers = defaultWorkers, maxWaiting = Infinity } = options
    this.#options = options
    this.#maxWorkers = maxWorkers
    const maxPerKey = Math.max(1, maxWorkers - 1)
    const maxRunningPerKey = (key?: string) => (key === undefined ? Infinity : maxPerKey)
    this.#queue = new FairQueue({ maxRunningPerKey, maxWaiting })
  }

  /**
   * Runs a call in a worker and returns the response. Request and response are copied by the
   * structured clone algorithm.
   *
   * @throws WorkerError; `QueueFullError`; the reason of the signal; the error of `precondition`
   */
  async run(request: Request, options: WorkerCallOptions = {}): Promise<Response> {
    const { key, signal, transfer } = options
    signal?.throwIfAborted()
    if (this.#isDisposed) throw new WorkerError('disposed')
    if (transfer && this.#maxBatch > 1) throw new TypeError('transfer needs a maxBatch of 1')
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const call: Call = { ...options, request, resolve, reject }
    const cancel = () => {
      reject(signal?.reason)
      if (!this.#queue.remove(key, call)) void call.worker?.end(cancellation)
    }
    this.#queue.add(key, call)
    signal?.addEventListener('abort', cancel, { once: true })
    this.#startNext()
    const response = await promise.finally(() => signal?.removeEventListener('abort', cancel))
    return response as Response
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    clearTimeout(this.#sweep)
    const disposed = new WorkerError('disposed')
    for (const { reject } of this.#queue.clear()) reject(disposed)
    this.#rejectReturned()
    await Promise.all(Array.from(this.#workers, (worker) => worker.end(disposed)))
  }

  get #maxBatch(): number {
    return this.#options.isolation === 'thread' ? (this.#options.maxBatch ?? 1) : 1
  }

  #startNext(): void {
    while (!this.#isDisposed && (this.#idle.length > 0 || this.#workers.size < this.#maxWorkers)) {
      const batch = this.#takeBatch()
      if (batch.length === 0) return
      void this.#work(this.#takeWorker(), batch)
    }
  }

  /**
   * Takes the next calls for a worker: a share of the queue, so that no worker is idle while
   * another worker has all calls.
   */
  #takeBatch(): RunningCall[] {
    const batch: RunningCall[] = []
    const waiting = this.#returned.length + this.#queue.waiting
    const share = Math.min(this.#maxBatch, Math.ceil(waiting / this.#maxWorkers))
    while (batch.length < share) {
      const call = this.#returned.shift() ?? this.#queue.take()
      if (!call) break
      if (this.#mayStart(call)) batch.push(call)
    }
    return batch
  }

  #mayStart(call: RunningCall): boolean {
    const { signal, precondition, reject } = call.item
    try {
      signal?.throwIfAborted()
      precondition?.()
      return true
    } catch (error) {
      reject(error)
      call[Symbol.dispose]()
      return false
    }
  }

  /**
   * Takes an idle worker, or starts a new worker. Skips dead workers, which the operating system
   * may have ended.
   */
  #takeWorker(): PoolWorker {
    let worker = this.#idle.pop()
    while (worker?.dead) {
      this.#workers.delete(worker)
      worker = this.#idle.pop()
    }
    worker ??= new PoolWorker(this.#options)
    this.#workers.add(worker)
    return worker
  }

  async #work(worker: PoolWorker, batch: readonly RunningCall[]): Promise<void> {
    for (const { item } of batch) item.worker = worker
    const rest = await runBatch(worker, batch)
    for (const { item } of batch) item.worker = undefined
    for (const call of batch) if (!rest.includes(call)) call[Symbol.dispose]()
    this.#returned.unshift(...rest)
    if (this.#isDisposed) return this.#rejectReturned()
    if (worker.dead) this.#workers.delete(worker)
    else this.#idle.push(worker)
    this.#startNext()
    this.#sweepLater()
  }

  #rejectReturned(): void {
    for (const { item } of this.#returned.splice(0)) item.reject(new WorkerError('disposed'))
  }

  #sweepLater(): void {
    clearTimeout(this.#sweep)
    const { idleMs = 60_000 } = this.#options
    this.#sweep = setTimeout(() => {
      for (const worker of this.#idle.splice(0)) {
        this.#workers.delete(worker)
        void worker.end(new WorkerError('disposed'))
      }
    }, idleMs)
    this.#sweep.unref()
  }
}

/** Settles the calls of one message to a worker. Returns the calls that have to run again. */
async function runBatch(
  worker: PoolWorker,
  batch: readonly RunningCall[],
): Promise<readonly RunningCall[]> {
  const calls = batch.map(({ item }) => item)
  try {
    const responses = await worker.run(calls)
    for (const [index, response] of responses.entries()) calls[index]?.resolve(response)
    return batch.slice(responses.length)
  } catch (error) {
    const isCausedByOne = error instanceof WorkerError && causedByCall.has(error.failure)
    const isToRepeat = (index: number) =>
      error === cancellation || (isCausedByOne && index !== worker.currentIndex)
    for (const [index, { reject }] of calls.entries()) if (!isToRepeat(index)) reject(error)
    return batch.filter((_call, index) => isToRepeat(index))
  }
}
