import { availableParallelism } from 'node:os'
import { AppError } from '@posthorn/errors'
import type { RenderContext, TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'
import type { Job, JobResult } from './jobs.ts'
import { FairQueue } from './lanes.ts'
import { RenderProcess } from './render-process.ts'

export interface RendererOptions {
  /** The time of the processor that one rendering may take. */
  timeoutMs: number
  /** Of all texts of one rendering together. */
  maxOutputBytes: number
  /** Heap of each process, compiled templates included. */
  maxMemoryMb?: number
}

export interface RenderOptions {
  format: TemplateFormat
  context: RenderContext
}

/** A process without work ends after this long. */
const idleMs = 30_000
/** At least two, so that one who holds a process up does not hold up all. */
const maxProcesses = Math.min(4, Math.max(2, availableParallelism()))

interface QueuedJob {
  job: Job
  resolve: (result: JobResult) => void
  reject: (error: unknown) => void
}

/**
 * Renders templates in processes of their own, started when needed and ended when idle. A template that takes too long or too much is
 * given up with 422, and those of others go on meanwhile.
 */
export class Renderer implements AsyncDisposable {
  readonly #options: RendererOptions
  readonly #lanes = new FairQueue<QueuedJob>(maxProcesses - 1)
  readonly #idle: RenderProcess[] = []
  readonly #processes = new Set<RenderProcess>()
  #sweep: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(options: RendererOptions) {
    this.#options = options
  }

  /** The content with the values in place: `html` escaped and, from markdown, HTML; the others as they are. 422 if it cannot be done. */
  async render(
    content: TemplateContent,
    { format, context }: RenderOptions,
  ): Promise<TemplateContent> {
    const { name, email } = context.account
    const lane = JSON.stringify([name, email])
    const result = await this.#run({ content, format, context: JSON.stringify(context) }, lane)
    if ('content' in result) return result.content
    throw new AppError('unprocessable', result.problems.map(describeProblem).join('; '))
  }

  /** What is wrong with the content, whatever the values: nothing, if it is to be used. */
  async check(content: TemplateContent, format: TemplateFormat): Promise<TemplateProblem[]> {
    const result = await this.#run({ content, format }, 'check')
    return 'problems' in result ? result.problems : []
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#sweep)
    for (const { reject } of this.#lanes.clear()) reject(stopping())
    for (const renderer of this.#processes) renderer.end()
    return Promise.resolve()
  }

  #run(job: Omit<Job, 'maxOutputBytes'>, lane: string): Promise<JobResult> {
    if (this.#closed) return Promise.reject(stopping())
    const { maxOutputBytes } = this.#options
    return new Promise((resolve, reject) => {
      this.#lanes.add(lane, { job: { ...job, maxOutputBytes }, resolve, reject })
      this.#startNext()
    })
  }

  /** Hands out what may run to processes that have nothing to do. */
  #startNext(): void {
    while (!this.#closed && (this.#idle.length > 0 || this.#processes.size < maxProcesses)) {
      const next = this.#lanes.take()
      if (!next) return
      void this.#work(this.#takeIdle() ?? this.#open(), next)
    }
  }

  /** One that still lives: the machine may have ended it while it had nothing to do. */
  #takeIdle(): RenderProcess | undefined {
    for (;;) {
      const renderer = this.#idle.pop()
      if (!renderer?.dead) return renderer
      this.#processes.delete(renderer)
    }
  }

  #open(): RenderProcess {
    const renderer = new RenderProcess(this.#options)
    this.#processes.add(renderer)
    return renderer
  }

  async #work(renderer: RenderProcess, { lane, item }: { lane: string; item: QueuedJob }) {
    try {
      item.resolve(await renderer.run(item.job))
    } catch (error) {
      item.reject(error)
    }
    this.#lanes.done(lane)
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

/** In words: which text, where, why. */
function describeProblem({ field, line, reason }: TemplateProblem): string {
  return `The ${field} of the template cannot be rendered${line === undefined ? '' : ` (line ${line})`}: ${reason}`
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is stopping')
}
