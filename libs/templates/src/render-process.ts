import { type ChildProcess, fork } from 'node:child_process'
import { AppError } from '@posthorn/errors'
import type { ProcessMessage, Job, JobResult } from './jobs.ts'
import { readCpuMicros } from './cpu-time.ts'

/** Heap for compiled templates and one rendering, far above the need of a message. */
const defaultMemoryMb = 256
const startTimeoutMs = 20_000
/** Limit of the wall-clock time as a multiple of the CPU time, for hosts under load. */
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

/** Process that renders one job at a time. A job beyond the limits ends it; it is then `dead`. */
export class RenderProcess {
  readonly #timeoutMs: number
  readonly #child: ChildProcess
  readonly #ready: Promise<void>
  /** CPU time of the process before the current job. */
  #cpuMicrosBefore = 0
  #running: ActiveJob | undefined
  #dead = false

  constructor({ timeoutMs, maxMemoryMb = defaultMemoryMb }: ProcessLimits) {
    this.#timeoutMs = timeoutMs
    // Isolated from this process: no environment, options or output. Reading files is allowed,
    // because it loads its own code.
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
    this.#ready = this.#start()
  }

  get dead(): boolean {
    return this.#dead
  }

  async run(job: Job): Promise<JobResult> {
    this.#setReferenced(true)
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
      this.#setReferenced(false)
    }
  }

  end(): void {
    this.#fail(new AppError('unavailable', 'The service is stopping'))
    this.#child.kill('SIGKILL')
  }

  /** A busy child keeps this process alive, an idle one does not. */
  #setReferenced(busy: boolean): void {
    const { channel } = this.#child
    if (busy) {
      this.#child.ref()
      channel?.ref()
    } else {
      this.#child.unref()
      channel?.unref()
    }
  }

  /** Resolves when the process accepts jobs. The start does not count as time of a job. */
  #start(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(notStarted()), startTimeoutMs)
    this.#child.on('message', ({ result, cpuMicros }: ProcessMessage) => {
      this.#cpuMicrosBefore = cpuMicros
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
    // `run` reports it; an idle process has no caller.
    promise.catch(() => {
      this.#dead = true
      this.#child.kill('SIGKILL')
    })
    return promise.finally(() => clearTimeout(timer))
  }

  /** Ends the process by its CPU time, or if it got hardly any CPU time for long. */
  async #onTimer(): Promise<void> {
    const running = this.#running
    if (!running) return
    const cpuMicros = await readCpuMicros(this.#child.pid ?? 0)
    if (this.#running !== running) return
    const usedMs = cpuMicros === undefined ? Infinity : (cpuMicros - this.#cpuMicrosBefore) / 1000
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
  const message = 'Templates cannot be rendered now, retry later'
  return new AppError('unavailable', message, { cause })
}

function interrupted(cause?: Error): AppError {
  return new AppError('unavailable', 'Rendering was interrupted, retry later', { cause })
}

/** V8 aborts a process whose heap is full. */
function tooMuch(): AppError {
  return new AppError('unprocessable', 'The template takes too much memory to render')
}
