import { Worker } from 'node:worker_threads'
import { AppError } from '@posthorn/errors'
import type { Job, JobResult } from './jobs.ts'

/** Compiled templates and what is being rendered; far above what a message needs. */
const defaultMemoryMb = 192
const startTimeoutMs = 20_000
/** A machine that has no time for the thread does not make the template slow: only by this much more is waited. */
const patience = 10

export interface ThreadLimits {
  timeoutMs: number
  maxMemoryMb?: number
}

interface Running {
  resolve: (result: JobResult) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
  since: number
}

/** One thread that renders one job at a time. Whoever takes too long or too much ends it; it is then `dead`. */
export class RenderThread {
  readonly #timeoutMs: number
  readonly #worker: Worker
  readonly #ready: Promise<void>
  readonly #startedAt = new Float64Array(new SharedArrayBuffer(8))
  #running: Running | undefined
  #dead = false

  constructor({ timeoutMs, maxMemoryMb = defaultMemoryMb }: ThreadLimits) {
    this.#timeoutMs = timeoutMs
    // Nothing of this process reaches it: no environment, no options, no output.
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, stackSizeMb: 2 },
      workerData: { startedAt: this.#startedAt },
    })
    this.#ready = this.#begin()
  }

  get dead(): boolean {
    return this.#dead
  }

  async run(job: Job): Promise<JobResult> {
    this.#worker.ref()
    try {
      await this.#ready
      return await new Promise<JobResult>((resolve, reject) => {
        const timer = setTimeout(() => void this.#onTimer(), this.#timeoutMs)
        this.#running = { resolve, reject, timer, since: performance.now() }
        this.#worker.postMessage(job)
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
    this.#worker.on('message', (message: JobResult | 'ready') => {
      if (message === 'ready') resolve()
      else this.#running?.resolve(message)
    })
    this.#worker.on('error', (error: Error) => {
      reject(notStarted(error))
      this.#fail(asFailure(error))
    })
    this.#worker.on('exit', () => {
      reject(notStarted())
      this.#fail(new AppError('unavailable', 'Rendering was interrupted'))
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
    if (usedMs < this.#timeoutMs && waitedMs < patience * this.#timeoutMs) {
      const leftMs = Math.max(10, this.#timeoutMs - usedMs)
      running.timer = setTimeout(() => void this.#onTimer(), leftMs)
      return
    }
    this.#fail(new AppError('unprocessable', 'The template takes too long to render'))
    void this.#worker.terminate()
  }

  /** Of the job at hand. */
  async #usedMs(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage()
      return (user + system - (this.#startedAt[0] ?? 0)) / 1000
    } catch {
      return Infinity // it has ended
    }
  }

  #fail(error: AppError): void {
    this.#dead = true
    this.#running?.reject(error)
  }
}

function notStarted(cause?: Error): AppError {
  return new AppError('unavailable', 'Templates cannot be rendered right now; retry shortly', {
    cause,
  })
}

function asFailure(error: Error & { code?: string }): AppError {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new AppError('unprocessable', 'The template takes too much memory to render')
    : new AppError('internal', 'Internal Server Error', { cause: error })
}
