import { availableParallelism } from 'node:os'
import { AppError } from '@posthorn/errors'
import { FairQueue, type RunningItem } from '@posthorn/flow'
import type { RenderContext, TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'
import type { Job, JobResult } from './jobs.ts'
import { RenderProcess } from './render-process.ts'

export interface RendererOptions {
  /** Maximum CPU time of one rendering. */
  timeoutMs: number
  /** Maximum bytes of all texts of one rendering. */
  maxOutputBytes: number
  /** Heap of each process, compiled templates included. Default 256. */
  maxMemoryMb?: number
}

export interface RenderOptions {
  format: TemplateFormat
  context: RenderContext
}

/** Idle time after which a process is ended. */
const idleMs = 30_000
/** At least two, so that a slow template does not block the templates of other accounts. */
const maxProcesses = Math.min(4, Math.max(2, availableParallelism()))

interface QueuedJob {
  job: Job
  resolve: (result: JobResult) => void
  reject: (error: unknown) => void
}

/**
 * Renders templates in separate processes, started on demand and ended when idle. Accounts take
 * turns, and none uses all processes. A template beyond the limits fails with `unprocessable`.
 */
export class Renderer implements AsyncDisposable {
  readonly #options: RendererOptions
  readonly #queue = new FairQueue<QueuedJob>({ maxRunningPerKey: maxProcesses - 1 })
  readonly #idle: RenderProcess[] = []
  readonly #processes = new Set<RenderProcess>()
  #sweep: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(options: RendererOptions) {
    this.#options = options
  }

  /**
   * Renders a content. `html` is escaped, and converted from markdown; the others are plain text.
   * @throws AppError `unprocessable` with the problem of the template
   */
  async render(
    content: TemplateContent,
    { format, context }: RenderOptions,
  ): Promise<TemplateContent> {
    const { name, email } = context.account
    const key = JSON.stringify([name, email])
    const result = await this.#run({ content, format, context: JSON.stringify(context) }, key)
    if ('content' in result) return result.content
    throw new AppError('unprocessable', result.problems.map(describeProblem).join('; '))
  }

  /** Problems of the content that do not depend on values. */
  async check(content: TemplateContent, format: TemplateFormat): Promise<TemplateProblem[]> {
    const result = await this.#run({ content, format }, 'check')
    return 'problems' in result ? result.problems : []
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#sweep)
    for (const { reject } of this.#queue.clear()) reject(stopping())
    for (const renderer of this.#processes) renderer.end()
    return Promise.resolve()
  }

  #run(job: Omit<Job, 'maxOutputBytes'>, key: string): Promise<JobResult> {
    if (this.#closed) return Promise.reject(stopping())
    const { maxOutputBytes } = this.#options
    return new Promise((resolve, reject) => {
      this.#queue.add(key, { job: { ...job, maxOutputBytes }, resolve, reject })
      this.#startNext()
    })
  }

  /** Passes queued jobs to idle processes. */
  #startNext(): void {
    while (!this.#closed && (this.#idle.length > 0 || this.#processes.size < maxProcesses)) {
      const next = this.#queue.take()
      if (!next) return
      void this.#work(this.#takeIdle() ?? this.#startProcess(), next)
    }
  }

  /** Idle process. Skips dead ones: the operating system may have ended them. */
  #takeIdle(): RenderProcess | undefined {
    for (;;) {
      const renderer = this.#idle.pop()
      if (!renderer?.dead) return renderer
      this.#processes.delete(renderer)
    }
  }

  #startProcess(): RenderProcess {
    const renderer = new RenderProcess(this.#options)
    this.#processes.add(renderer)
    return renderer
  }

  async #work(renderer: RenderProcess, running: RunningItem<QueuedJob, string>) {
    const { item } = running
    try {
      item.resolve(await renderer.run(item.job))
    } catch (error) {
      item.reject(error)
    }
    running[Symbol.dispose]()
    if (renderer.dead) this.#processes.delete(renderer)
    else this.#idle.push(renderer)
    this.#startNext()
    this.#sweepLater()
  }

  #sweepLater(): void {
    clearTimeout(this.#sweep)
    if (this.#closed) return
    this.#sweep = setTimeout(() => {
      for (const renderer of this.#idle.splice(0)) {
        this.#processes.delete(renderer)
        renderer.end()
      }
    }, idleMs)
    this.#sweep.unref()
  }
}

/** Message with field, line and reason. */
function describeProblem({ field, line, reason }: TemplateProblem): string {
  return `The ${field} of the template cannot be rendered${line === undefined ? '' : ` (line ${line})`}: ${reason}`
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is stopping')
}
