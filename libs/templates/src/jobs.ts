import type { TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'

/** Rendering of a content; without a context, a check of its syntax. */
export interface Job {
  content: TemplateContent
  format: TemplateFormat
  /** JSON. */
  context?: string
  maxOutputBytes: number
}

export type JobResult = { content: TemplateContent } | { problems: TemplateProblem[] }

/** Result of a job. Without a result, the process is ready. */
export interface ProcessMessage {
  result?: JobResult
  /** CPU time since the start of the process. */
  cpuMicros: number
}
