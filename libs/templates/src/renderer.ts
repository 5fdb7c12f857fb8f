import { AppError, type ErrorKind } from '@posthorn/errors'
import { WorkerError, type WorkerFailure, WorkerPool } from '@posthorn/flow'
import type { RenderContext, TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'
import type { Job, JobResult } from './jobs.ts'

export interface RendererOptions {
  /** Maximum CPU time of one template rendering. */
  timeoutMs: number
  /** Maximum bytes of all texts of one rendered template. */
  maxOutputBytes: number
  /** Heap of each template rendering process in MB, compiled templates included. Default 256. */
  maxMemoryMb?: number
}

export interface RenderOptions {
  format: TemplateFormat
  context: RenderContext
}

/**
 * Default heap of a template rendering process in MB, for compiled templates and one rendering. Far
 * above the need of a message.
 */
const defaultMemoryMb = 256
/** Idle time after which template rendering processes are ended. */
const idleMs = 30_000

const renderErrors: Record<WorkerFailure, [ErrorKind, string]> = {
  'not-started': ['unavailable', 'Templates cannot be rendered now, retry later'],
  timeout: ['unprocessable', 'The template takes too long to render'],
  memory: ['unprocessable', 'The template takes too much memory to render'],
  crash: ['unavailable', 'Rendering was interrupted, retry later'],
  disposed: ['unavailable', 'The service is stopping'],
}

/**
 * Renders message templates in separate processes, started on demand and ended when idle. Accounts
 * take turns, and no account uses all processes. A template beyond the limits fails with
 * `unprocessable`.
 */
export class Renderer implements AsyncDisposable {
  readonly #pool: WorkerPool<Job, JobResult>

  constructor({ timeoutMs, maxOutputBytes, maxMemoryMb = defaultMemoryMb }: RendererOptions) {
    this.#pool = new WorkerPool({
      module: new URL('./render-main.ts', import.meta.url),
      isolation: 'process',
      startData: maxOutputBytes,
      timeoutMs,
      maxHeapMb: maxMemoryMb,
      idleMs,
    })
  }

  /**
   * Renders the texts of a message template. `html` is escaped, and converted from markdown; the
   * other texts are plain text.
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

  /**
   * Finds the problems of a template that do not depend on the values inserted into the template.
   */
  async check(content: TemplateContent, format: TemplateFormat): Promise<TemplateProblem[]> {
    const result = await this.#run({ content, format }, 'check')
    return 'problems' in result ? result.problems : []
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]()
  }

  async #run(job: Job, key: string): Promise<JobResult> {
    try {
      return await this.#pool.run(job, { key })
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error
      const [kind, message] = renderErrors[error.failure]
      throw new AppError(kind, message, { cause: error })
    }
  }
}

/** Error message for a problem of a message template, with field, line and reason. */
function describeProblem({ field, line, reason }: TemplateProblem): string {
  return `The ${field} of the template cannot be rendered${line === undefined ? '' : ` (line ${line})`}: ${reason}`
}
