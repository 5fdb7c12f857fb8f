import { availableParallelism } from 'node:os'
import { AppError } from '@posthorn/errors'
import type {
  CallLimits,
  Functions,
  FunctionInput,
  Job,
  JobResult,
  JobResults,
  FunctionResult,
  StaticMatch,
} from './jobs.ts'
import { Thread, ThreadEnded } from './thread.ts'

export interface SandboxOptions extends Partial<CallLimits> {
  /** CPU time after which the thread of a job is terminated, if the engine did not stop it. */
  killMs?: number
}

const defaults: CallLimits = {
  cpuMs: 100,
  memoryBytes: 64 * 1024 * 1024,
  outputChars: 8 * 1024 * 1024,
  inputChars: 8 * 1024 * 1024,
}
const defaultKillMs = 1_000

/** Idle time after which a thread is ended. */
const idleMs = 60_000
/** At least two, so that an endless function does not block all others. */
const maxThreads = Math.min(4, Math.max(2, availableParallelism()))

/** Jobs of one message to a thread: a message costs more than a job. */
const maxBatch = 32

/** Evaluated before a queued call starts. Returns the reason if it must be skipped. */
export type SkipCheck = () => string | undefined

interface QueuedJob {
  job: Job
  skipReason: SkipCheck
  resolve: (result: JobResult) => void
  reject: (error: unknown) => void
}

/**
 * Runs functions of users in worker threads, started on demand and ended when idle. Every call ends
 * within its limits and affects no other. Rejects only if no thread can be started.
 */
export class Sandbox implements AsyncDisposable {
  readonly #limits: CallLimits
  readonly #killMs: number
  readonly #queue: QueuedJob[] = []
  readonly #idle: Thread[] = []
  readonly #threads = new Set<Thread>()
  #sweep: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor({ killMs = defaultKillMs, ...limits }: SandboxOptions = {}) {
    this.#limits = { ...defaults, ...limits }
    this.#killMs = killMs
  }

  /** Calls the filter and, if it accepts, the map. */
  async apply(
    functions: Functions,
    input: FunctionInput,
    skipReason: SkipCheck = () => undefined,
  ): Promise<FunctionResult> {
    try {
      return await this.#run({ kind: 'apply', functions, input }, skipReason)
    } catch (error) {
      if (error instanceof SkippedCall) return failed(functions, error.message, 0)
      if (error instanceof ThreadEnded) return failed(functions, error.message, this.#killMs)
      throw error
    }
  }

  /** Result of a filter for every event of a name, if it reads nothing else. */
  async matchStatically(filter: string, event: string): Promise<StaticMatch> {
    try {
      return await this.#run({ kind: 'match', filter, event })
    } catch (error) {
      if (error instanceof ThreadEnded) return 'depends'
      throw error
    }
  }

  /** Syntax error of a source; undefined if it is valid. */
  async check(source: string): Promise<string | undefined> {
    try {
      return (await this.#run({ kind: 'check', source })) ?? undefined
    } catch (error) {
      if (error instanceof ThreadEnded) return error.message
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#sweep)
    for (const { reject } of this.#queue.splice(0)) reject(stopping())
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #run<J extends Job>(
    job: J,
    skipReason: SkipCheck = () => undefined,
  ): Promise<JobResults[J['kind']]> {
    if (this.#closed) return Promise.reject(stopping())
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, skipReason, resolve: resolve as QueuedJob['resolve'], reject })
      this.#startNext()
    })
  }

  #startNext(): void {
    while (!this.#closed && (this.#idle.length > 0 || this.#threads.size < maxThreads)) {
      const batch = this.#takeBatch()
      if (batch.length === 0) return
      void this.#work(this.#idle.pop() ?? this.#startThread(), batch)
    }
  }

  #takeBatch(): QueuedJob[] {
    const batch: QueuedJob[] = []
    // A share of the queue, so that no thread is idle while another has all jobs.
    const share = Math.min(maxBatch, Math.ceil(this.#queue.length / maxThreads))
    while (batch.length < share && this.#queue.length > 0) {
      const queued = this.#queue.shift() as QueuedJob
      const reason = queued.skipReason()
      if (reason === undefined) batch.push(queued)
      else queued.reject(new SkippedCall(reason))
    }
    return batch
  }

  #startThread(): Thread {
    const thread = new Thread(this.#limits, this.#killMs)
    this.#threads.add(thread)
    return thread
  }

  async #work(thread: Thread, batch: readonly QueuedJob[]): Promise<void> {
    let left = batch
    try {
      const results = await thread.run(batch.map(({ job }) => job))
      for (const [index, result] of results.entries()) batch[index]?.resolve(result)
      left = batch.slice(results.length)
    } catch (error) {
      const blamed = error instanceof ThreadEnded ? [batch[error.job]] : batch
      for (const queued of blamed) queued?.reject(error)
      left = batch.filter((queued) => !blamed.includes(queued))
    }
    if (thread.dead) this.#threads.delete(thread)
    else this.#idle.push(thread)
    if (this.#closed) for (const { reject } of left) reject(stopping())
    else this.#queue.unshift(...left)
    this.#startNext()
    this.#sweepLater()
  }

  #sweepLater(): void {
    clearTimeout(this.#sweep)
    if (this.#closed) return
    this.#sweep = setTimeout(() => {
      for (const thread of this.#idle.splice(0)) {
        this.#threads.delete(thread)
        void thread.end()
      }
    }, idleMs)
    this.#sweep.unref()
  }
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is stopping')
}

class SkippedCall extends Error {}

/**
 * Result of a call that did not end. The function is unknown; blaming the filter is safe, because
 * the event is then not delivered.
 */
function failed({ filter }: Functions, reason: string, usedMs: number): FunctionResult {
  const name = filter === null ? 'map' : 'filter'
  return { applies: name === 'map', problems: [{ function: name, reason }], logs: [], usedMs }
}
