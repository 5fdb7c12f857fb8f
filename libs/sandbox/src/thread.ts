import { Worker } from 'node:worker_threads'
import { AppError } from '@posthorn/errors'
import type { CallLimits, Job, JobResult, ThreadData } from './jobs.ts'

const startTimeoutMs = 20_000
/** JavaScript heap: compiled functions, payloads and outputs. The instance has its own limit. */
const maxHeapMb = 128
/** Limit of the wall-clock time as a multiple of the CPU time, for hosts under load. */
const wallClockFactor = 10

/** A function did not end, and its thread was terminated. */
export class ThreadEnded extends Error {
  /** Index of the job. The others can run in another thread. */
  readonly job: number

  constructor(job: number, message: string, options?: ErrorOptions) {
    super(message, options)
    this.job = job
  }
}

interface ActiveRun {
  resolve: (results: JobResult[]) => void
  reject: (error: Error) => void
  timer: ReturnType<typeof setTimeout>
  since: number
}

/** Worker thread that runs jobs serially. A job that the engine cannot stop ends it (`dead`). */
export class Thread {
  readonly #killMs: number
  readonly #worker: Worker
  readonly #progress = new Float64Array(new SharedArrayBuffer(16))
  readonly #ready: Promise<void>
  #running: ActiveRun | undefined
  #dead = false

  /** `killMs`: maximum CPU time of one job. */
  constructor(limits: CallLimits, killMs: number) {
    this.#killMs = killMs
    const workerData: ThreadData = { limits, progress: this.#progress }
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData,
      env: {},
      execArgv: [],
      argv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, stackSizeMb: 8 },
    })
    this.#worker.unref()
    this.#ready = this.#start()
  }

  get dead(): boolean {
    return this.#dead
  }

  /**
   * Runs jobs. Returns the results of the first ones, at least one; the others were not started.
   *
   * @throws ThreadEnded; AppError `unavailable` if the thread did not start
   */
  async run(jobs: readonly Job[]): Promise<JobResult[]> {
    this.#worker.ref()
    try {
      await this.#ready
      return await new Promise<JobResult[]>((resolve, reject) => {
        const timer = setTimeout(() => void this.#onTimer(), this.#killMs)
        this.#running = { resolve, reject, timer, since: performance.now() }
        this.#worker.postMessage(jobs)
      })
    } finally {
      clearTimeout(this.#running?.timer)
      this.#running = undefined
      this.#worker.unref()
    }
  }

  async end(): Promise<void> {
    this.#fail(new AppError('unavailable', 'The service is stopping'))
    await this.#worker.terminate()
  }

  /** Resolves when the thread accepts jobs. The start does not count as time of a job. */
  #start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(notStarted()), startTimeoutMs)
    this.#worker.on('message', (message: 'ready' | JobResult[]) => {
      if (message === 'ready') resolve()
      else this.#running?.resolve(message)
    })
    this.#worker.on('error', (error: Error) => {
      reject(notStarted(error))
      this.#fail(this.#ended('takes too much memory', { cause: error }))
    })
    this.#worker.on('exit', () => {
      reject(notStarted())
      this.#fail(this.#ended('could not be carried out'))
    })
    // `run` reports it; an idle thread has no caller.
    promise.catch(() => {
      this.#dead = true
      void this.#worker.terminate()
    })
    return promise.finally(() => clearTimeout(timer))
  }

  /** Ends the thread by its CPU time, or if it got hardly any CPU time for long. */
  async #onTimer(): Promise<void> {
    const running = this.#running
    if (!running) return
    const usedMs = await this.#usedMs()
    if (this.#running !== running) return
    const waitedMs = performance.now() - running.since
    if (usedMs < this.#killMs && waitedMs < wallClockFactor * this.#killMs) {
      const leftMs = Math.max(10, this.#killMs - usedMs)
      running.timer = setTimeout(() => void this.#onTimer(), leftMs)
      return
    }
    this.#fail(this.#ended('takes too much time'))
    void this.#worker.terminate()
  }

  /** CPU time of the current job. */
  async #usedMs(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage()
      return (user + system - (this.#progress[0] ?? 0)) / 1000
    } catch {
      return Infinity // the thread has ended
    }
  }

  #ended(reason: string, options?: ErrorOptions): ThreadEnded {
    return new ThreadEnded(this.#progress[1] ?? 0, reason, options)
  }

  #fail(error: Error): void {
    this.#dead = true
    this.#running?.reject(error)
  }
}

function notStarted(cause?: Error): AppError {
  return new AppError('unavailable', 'Functions cannot be run now, retry later', { cause })
}
