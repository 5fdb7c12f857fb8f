import type { TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'

/** What a thread is asked for; without a context, whether the content could be rendered at all. */
export interface Job {
  content: TemplateContent
  format: TemplateFormat
  /** JSON. */
  context?: string
  maxOutputBytes: number
}

export type JobResult = { content: TemplateContent } | { problems: TemplateProblem[] }
