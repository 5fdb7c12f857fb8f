import { availableParallelism } from 'node:os'
import type { Transferable } from 'node:worker_threads'
import { FairQueue, type RunningItem } from '../fair-queue.ts'
import { PoolWorker, type PoolWorkerOptions } from './pool-worker.ts'
import { WorkerError, type WorkerFailure } from './worker-error.ts'

/**
 * Default for the maximum number of workers (threads or processes) in a pool. At least two, so that
 * a slow call does not block all other calls.
 */
const defaultWorkers = Math.min(4, Math.max(2, availableParallelism()))

export interface WorkerPoolOptions extends PoolWorkerOptions {
  /**
   * Maximum number of workers (threads or processes) in the pool. Defaults to the number of CPUs,
   * but at least 2 and at most 4.
   */
  maxWorkers?: number
  /** Time without calls after which the worker pool ends its idle workers. Defaults to 60 s. */
  idleMs?: number
  /**
   * Maximum number of calls that wait for a worker (thread or process) of the pool. If there are
   * more, calls reject with `QueueFullError`. Defaults to no limit.
   */
  maxWaiting?: number
  /**
   * Maximum number of calls that the pool sends to a worker (thread or process) in one message.
   * Useful for calls that take less time than a message. A call may then run twice, because calls
   * are repeated if their worker ends. Defaults to 1.
   */
  maxBatch?: number
}

export interface WorkerCallOptions {
  /**
   * Key of a call to the worker pool, such as an account. Calls with different keys take turns, and
   * calls with one key never occupy all workers.
   */
  key?: string
  /**
   * Signal that cancels a call to the worker pool: a waiting call is removed from the queue, and
   * the worker of a running call is ended.
   */
  signal?: AbortSignal
  /**
   * Parts of a request that are moved to a worker thread instead of copied. Only allowed if
   * `maxBatch` is 1.
   */
  transfer?: readonly Transferable[]
  /**
   * Maximum CPU time of a call in a worker (thread or process). Replaces the maximum that the
   * worker pool has.
   */
  timeoutMs?: number
  /**
   * Called just before the worker pool sends the call to a worker (thread or process). If this
   * function throws an error, the call is not started and rejects with the error.
   */
  precondition?: () => void
}

interface Call extends WorkerCallOptions {
  request: unknown
  resolve: (response: unknown) => void
  reject: (error: unknown) => void
  /**
   * Worker (thread or process) that is executing the call. Undefined while the call waits in the
   * queue of the worker pool.
   */
  worker?: PoolWorker | undefined
}

type RunningCall = RunningItem<Call, string | undefined>

/**
 * Reasons for the end of a worker (thread or process) that are the fault of a single call. This
 * call is rejected, and the other calls of the message to the worker are repeated.
 */
const causedByCall: ReadonlySet<WorkerFailure> = new Set(['timeout', 'memory', 'crash'])

/**
 * Error with which a worker (thread or process) is ended because its call was cancelled. The other
 * calls of the message to the worker are repeated.
 */
const cancellation = new Error('call cancelled')

/**
 * Pool of workers (threads or processes) for hostile or expensive calls, with limits for time,
 * memory and waiting calls.
 *
 * Workers start when needed and end when idle. A worker that exceeds a limit, crashes or executes a
 * cancelled call is ended. Only the call that caused the end is rejected, and the next call starts
 * another worker. Disposal rejects all calls and ends all workers.
 */
export class WorkerPool<Request, Response> implements AsyncDisposable {
  readonly #options: WorkerPoolOptions
  readonly #maxWorkers: number
  readonly #queue: FairQueue<Call, string | undefined>
  /**
   * Calls that the pool sent to a worker (thread or process) but that were not executed. These
   * calls are sent again before the calls in the queue of the pool.
   */
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
   * Executes a call in a worker (thread or process) of the pool and returns the response. Request
   * and response are copied by the structured clone algorithm.
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
   * Takes the next calls for a worker (thread or process) of the pool. The number is limited to an
   * equal share of the waiting calls, so that no worker is idle while another worker has all calls.
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
   * Takes an idle worker (thread or process) of the pool, or starts a new worker. Skips idle
   * workers that have died, for example because the operating system ended them.
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

/**
 * Settles those calls of a message to a worker (thread or process) for which the worker returned a
 * result or failed. Returns the calls that have to be sent again.
 */
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
