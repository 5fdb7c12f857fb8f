import { availableParallelism } from 'node:os'
import { AppError } from '@posthorn/errors'
import type {
  Bounds,
  Functions,
  FunctionInput,
  Job,
  JobResult,
  JobResults,
  FunctionResult,
  StaticMatch,
} from './jobs.ts'
import { Thread, ThreadEnded } from './thread.ts'

export interface SandboxOptions extends Partial<Bounds> {
  /** Time of the processor after which a job's thread is ended, where the engine did not stop it before. */
  killMs?: number
}

const defaults: Bounds = {
  cpuMs: 100,
  memoryBytes: 64 * 1024 * 1024,
  outputChars: 8 * 1024 * 1024,
  inputChars: 8 * 1024 * 1024,
}
const defaultKillMs = 1_000

/** A thread without work ends after this long. */
const idleMs = 60_000
/** At least two, so that a function that does not end does not hold up all. */
const maxThreads = Math.min(4, Math.max(2, availableParallelism()))

/** Handed to a thread together: a message costs more than a job. */
const maxTogether = 32

/** Asked when a call's turn has come: why it is not to be made after all. */
export type SkipCheck = () => string | undefined

interface QueuedJob {
  job: Job
  refuse: SkipCheck
  resolve: (result: JobResult) => void
  reject: (error: unknown) => void
}

/**
 * Runs the functions of others, in threads of its own that are started when needed and ended when idle. Whatever a function does, its
 * call is decided within bounds and nobody else notices. Rejects only where no thread can be had.
 */
export class Sandbox implements AsyncDisposable {
  readonly #bounds: Bounds
  readonly #killMs: number
  readonly #waiting: QueuedJob[] = []
  readonly #idle: Thread[] = []
  readonly #threads = new Set<Thread>()
  #sweep: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor({ killMs = defaultKillMs, ...bounds }: SandboxOptions = {}) {
    this.#bounds = { ...defaults, ...bounds }
    this.#killMs = killMs
  }

  /** Asks the filter, and if it says yes the map, about a payload. */
  async apply(
    functions: Functions,
    input: FunctionInput,
    refuse: SkipCheck = () => undefined,
  ): Promise<FunctionResult> {
    try {
      return await this.#run({ kind: 'apply', functions, input }, refuse)
    } catch (error) {
      if (error instanceof SkippedCall) return failed(functions, error.message, 0)
      if (error instanceof ThreadEnded) return failed(functions, error.message, this.#killMs)
      throw error
    }
  }

  /** What a filter says of every event of that name, if that is all that it looks at. */
  async matchStatically(filter: string, event: string): Promise<StaticMatch> {
    try {
      return await this.#run({ kind: 'judge', filter, event })
    } catch (error) {
      if (error instanceof ThreadEnded) return 'depends'
      throw error
    }
  }

  /** What is wrong with the source of a function, before anybody calls it; undefined: nothing. */
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
    for (const { reject } of this.#waiting.splice(0)) reject(stopping())
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #run<J extends Job>(job: J, refuse: SkipCheck = () => undefined): Promise<JobResults[J['kind']]> {
    if (this.#closed) return Promise.reject(stopping())
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, refuse, resolve: resolve as QueuedJob['resolve'], reject })
      this.#startNext()
    })
  }

  #startNext(): void {
    while (!this.#closed && (this.#idle.length > 0 || this.#threads.size < maxThreads)) {
      const next = this.#next()
      if (next.length === 0) return
      void this.#work(this.#idle.pop() ?? this.#open(), next)
    }
  }

  #next(): QueuedJob[] {
    const next: QueuedJob[] = []
    // Shared out, so that one thread does not take everything while the others are idle.
    const share = Math.min(maxTogether, Math.ceil(this.#waiting.length / maxThreads))
    while (next.length < share && this.#waiting.length > 0) {
      const waiting = this.#waiting.shift() as QueuedJob
      const reason = waiting.refuse()
      if (reason === undefined) next.push(waiting)
      else waiting.reject(new SkippedCall(reason))
    }
    return next
  }

  #open(): Thread {
    const thread = new Thread(this.#bounds, this.#killMs)
    this.#threads.add(thread)
    return thread
  }

  async #work(thread: Thread, taken: readonly QueuedJob[]): Promise<void> {
    let left = taken
    try {
      const results = await thread.run(taken.map(({ job }) => job))
      for (const [index, result] of results.entries()) taken[index]?.resolve(result)
      left = taken.slice(results.length)
    } catch (error) {
      const blamed = error instanceof ThreadEnded ? [taken[error.job]] : taken
      for (const waiting of blamed) waiting?.reject(error)
      left = taken.filter((waiting) => !blamed.includes(waiting))
    }
    if (thread.dead) this.#threads.delete(thread)
    else this.#idle.push(thread)
    if (this.#closed) for (const { reject } of left) reject(stopping())
    else this.#waiting.unshift(...left)
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

/** A call that gave no answer. Which of the two functions it was is not known; it is safe to hold it against the filter, if there is one. */
function failed({ filter }: Functions, reason: string, usedMs: number): FunctionResult {
  const name = filter === null ? 'map' : 'filter'
  return { applies: name === 'map', problems: [{ function: name, reason }], logs: [], usedMs }
}
