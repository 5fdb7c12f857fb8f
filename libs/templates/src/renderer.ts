import { availableParallelism } from 'node:os'
import { AppError } from '@posthorn/errors'
import type { RenderContext, TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'
import type { Job, JobResult } from './jobs.ts'
import { Lanes } from './lanes.ts'
import { RenderThread } from './render-thread.ts'

export interface RendererOptions {
  /** The time of the processor that one rendering may take. */
  timeoutMs: number
  /** Of all texts of one rendering together. */
  maxOutputBytes: number
  /** Of each thread, compiled templates included. */
  maxMemoryMb?: number
}

export interface RenderHow {
  format: TemplateFormat
  context: RenderContext
}

/** A thread without work ends after this long. */
const idleMs = 30_000
/** At least two, so that one who holds a thread up does not hold up all. */
const maxThreads = Math.min(4, Math.max(2, availableParallelism()))

interface Waiting {
  job: Job
  resolve: (result: JobResult) => void
  reject: (error: unknown) => void
}

/**
 * Renders templates in threads of their own, started when needed and ended when idle. A template that takes too long or too much is
 * given up with 422, and those of others go on meanwhile.
 */
export class Renderer implements AsyncDisposable {
  readonly #options: RendererOptions
  readonly #lanes = new Lanes<Waiting>(maxThreads - 1)
  readonly #idle: RenderThread[] = []
  readonly #threads = new Set<RenderThread>()
  #sweep: ReturnType<typeof setTimeout> | undefined
  #closed = false

  constructor(options: RendererOptions) {
    this.#options = options
  }

  /** The content with the values in place: `html` escaped and, from markdown, HTML; the others as they are. 422 if it cannot be done. */
  async render(content: TemplateContent, { format, context }: RenderHow): Promise<TemplateContent> {
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#sweep)
    for (const { reject } of this.#lanes.clear()) reject(stopping())
    await Promise.all([...this.#threads].map((thread) => thread.end()))
  }

  #run(job: Omit<Job, 'maxOutputBytes'>, lane: string): Promise<JobResult> {
    if (this.#closed) return Promise.reject(stopping())
    const { maxOutputBytes } = this.#options
    return new Promise((resolve, reject) => {
      this.#lanes.add(lane, { job: { ...job, maxOutputBytes }, resolve, reject })
      this.#startNext()
    })
  }

  /** Hands out what may run to threads that have nothing to do. */
  #startNext(): void {
    while (!this.#closed && (this.#idle.length > 0 || this.#threads.size < maxThreads)) {
      const next = this.#lanes.take()
      if (!next) return
      void this.#work(this.#idle.pop() ?? this.#open(), next)
    }
  }

  #open(): RenderThread {
    const thread = new RenderThread(this.#options)
    this.#threads.add(thread)
    return thread
  }

  async #work(thread: RenderThread, { lane, item }: { lane: string; item: Waiting }) {
    try {
      item.resolve(await thread.run(item.job))
    } catch (error) {
      item.reject(error)
    }
    this.#lanes.done(lane)
    if (thread.dead) this.#threads.delete(thread)
    else this.#idle.push(thread)
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

/** In words: which text, where, why. */
function describeProblem({ field, line, reason }: TemplateProblem): string {
  return `The ${field} of the template cannot be rendered${line === undefined ? '' : ` (line ${line})`}: ${reason}`
}

function stopping(): AppError {
  return new AppError('unavailable', 'The service is stopping')
}
