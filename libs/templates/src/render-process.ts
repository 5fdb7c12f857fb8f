import { type ChildProcess, fork } from 'node:child_process'
import { AppError } from '@posthorn/errors'
import type { ProcessMessage, Job, JobResult } from './jobs.ts'
import { usedMicrosOf } from './cpu-time.ts'

/** Compiled templates and what is being rendered; far above what a message needs. */
const defaultMemoryMb = 256
const startTimeoutMs = 20_000
/** A machine that has no time for the process does not make the template slow: only by this much more is waited. */
const wallClockFactor = 10

export interface ProcessLimits {
  timeoutMs: number
  maxMemoryMb?: number
}

interface ActiveJob {
  resolve: (result: JobResult) => void
  reject: (error: Error) => void
  timer: ReturnType<typeof setTimeout>
  since: number
}

/** One process that renders one job at a time. Whoever takes too long or too much ends it; it is then `dead`. */
export class RenderProcess {
  readonly #timeoutMs: number
  readonly #child: ChildProcess
  readonly #ready: Promise<void>
  /** What it had used when the job at hand began. */
  #usedBefore = 0
  #running: ActiveJob | undefined
  #dead = false

  constructor({ timeoutMs, maxMemoryMb = defaultMemoryMb }: ProcessLimits) {
    this.#timeoutMs = timeoutMs
    // Nothing of this process reaches it: no environment, no options, no output. It may read files, which its own code is in, no more.
    this.#child = fork(new URL('./render-main.ts', import.meta.url), [], {
      execArgv: [
        '--permission',
        '--allow-fs-read=*',
        '--disable-proto=delete',
        `--max-old-space-size=${maxMemoryMb}`,
      ],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    this.#ready = this.#begin()
  }

  get dead(): boolean {
    return this.#dead
  }

  async run(job: Job): Promise<JobResult> {
    this.#hold(true)
    try {
      await this.#ready
      return await new Promise<JobResult>((resolve, reject) => {
        const timer = setTimeout(() => void this.#onTimer(), this.#timeoutMs)
        this.#running = { resolve, reject, timer, since: performance.now() }
        this.#child.send(job, (error) => error && this.#fail(interrupted(error)))
      })
    } finally {
      clearTimeout(this.#running?.timer)
      this.#running = undefined
      this.#hold(false)
    }
  }

  end(): void {
    this.#fail(new AppError('unavailable', 'The service is stopping'))
    this.#child.kill('SIGKILL')
  }

  /** Whether it keeps this process from ending. */
  #hold(busy: boolean): void {
    const { channel } = this.#child
    if (busy) {
      this.#child.ref()
      channel?.ref()
    } else {
      this.#child.unref()
      channel?.unref()
    }
  }

  /** Resolves once the process takes jobs, which can take a while on a busy machine and is nobody's time. */
  #begin(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(notStarted()), startTimeoutMs)
    this.#child.on('message', ({ result, usedMicros }: ProcessMessage) => {
      this.#usedBefore = usedMicros
      if (result) this.#running?.resolve(result)
      else resolve()
    })
    this.#child.on('error', (error: Error) => {
      reject(notStarted(error))
      this.#fail(interrupted(error))
    })
    this.#child.on('exit', (_code, signal) => {
      reject(notStarted())
      this.#fail(signal === 'SIGABRT' || signal === 'SIGTRAP' ? tooMuch() : interrupted())
    })
    // Whoever waits for it is told; nobody may.
    promise.catch(() => {
      this.#dead = true
      this.#child.kill('SIGKILL')
    })
    return promise.finally(() => clearTimeout(timer))
  }

  /** What counts is the time the process had, unless it got hardly any for long. */
  async #onTimer(): Promise<void> {
    const running = this.#running
    if (!running) return
    const used = await usedMicrosOf(this.#child.pid ?? 0)
    if (this.#running !== running) return
    const usedMs = used === undefined ? Infinity : (used - this.#usedBefore) / 1000
    const waitedMs = performance.now() - running.since
    if (usedMs < this.#timeoutMs && waitedMs < wallClockFactor * this.#timeoutMs) {
      const leftMs = Math.max(10, this.#timeoutMs - usedMs)
      running.timer = setTimeout(() => void this.#onTimer(), leftMs)
      return
    }
    this.#fail(new AppError('unprocessable', 'The template takes too long to render'))
    this.#child.kill('SIGKILL')
  }

  #fail(error: AppError): void {
    this.#dead = true
    this.#running?.reject(error)
  }
}

function notStarted(cause?: Error): AppError {
  const message = 'Templates cannot be rendered right now; retry shortly'
  return new AppError('unavailable', message, { cause })
}

function interrupted(cause?: Error): AppError {
  return new AppError('unavailable', 'Rendering was interrupted; retry shortly', { cause })
}

/** How V8 ends a process whose heap is full. */
function tooMuch(): AppError {
  return new AppError('unprocessable', 'The template takes too much memory to render')
}
