import type { TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'

/** What a process is asked for; without a context, whether the content could be rendered at all. */
export interface Job {
  content: TemplateContent
  format: TemplateFormat
  /** JSON. */
  context?: string
  maxOutputBytes: number
}

export type JobResult = { content: TemplateContent } | { problems: TemplateProblem[] }

/** The answer to a job; without a result, that jobs are taken now. */
export interface ProcessMessage {
  result?: JobResult
  /** Microseconds of the processor, since its start. */
  usedMicros: number
}
