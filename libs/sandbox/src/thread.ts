import { Worker } from 'node:worker_threads'
import { AppError } from '@posthorn/errors'
import type { Bounds, Job, JobResult, ThreadData } from './jobs.ts'

const startTimeoutMs = 20_000
/** Of the thread's own heap: compiled functions, payloads and what maps make. The machine's memory has its own bound. */
const maxHeapMb = 128
/** A machine that has no time for the thread does not make a function slow: only by this much more is waited. */
const wallClockFactor = 10

/** A function did not end by itself, and its thread was ended. */
export class ThreadEnded extends Error {
  /** Which of the jobs it was. The others can be done by another thread. */
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

/** One thread, which does one job after the other. A job that the engine's own limits do not stop ends the thread; it is then `dead`. */
export class Thread {
  readonly #killMs: number
  readonly #worker: Worker
  readonly #progress = new Float64Array(new SharedArrayBuffer(16))
  readonly #ready: Promise<void>
  #running: ActiveRun | undefined
  #dead = false

  /** `killMs`: of the processor, for one job. */
  constructor(bounds: Bounds, killMs: number) {
    this.#killMs = killMs
    const workerData: ThreadData = { bounds, progress: this.#progress }
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
    this.#ready = this.#begin()
  }

  get dead(): boolean {
    return this.#dead
  }

  /**
   * Does jobs. The results are those of the first, at least one; the thread had no time for the rest.
   *
   * @throws ThreadEnded; AppError `unavailable` when there is no thread
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

  /** Resolves once the thread takes jobs, which can take a while on a busy machine and is nobody's time. */
  #begin(): Promise<void> {
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
    // Whoever waits for it is told; nobody may.
    promise.catch(() => {
      this.#dead = true
      void this.#worker.terminate()
    })
    return promise.finally(() => clearTimeout(timer))
  }

  /** What counts is the time the thread had, unless it got hardly any for long. */
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

  /** Of the job at hand. */
  async #usedMs(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage()
      return (user + system - (this.#progress[0] ?? 0)) / 1000
    } catch {
      return Infinity // it has ended
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
  return new AppError('unavailable', 'Functions cannot be run right now; retry shortly', { cause })
}
