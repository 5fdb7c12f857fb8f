import type { TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'

/**
 * Job that renders the texts of a message template. Without `context`, the job only checks the
 * syntax of the texts.
 */
export interface Job {
  content: TemplateContent
  format: TemplateFormat
  /** Values for the expressions of the message template (render context), as JSON. */
  context?: string
}

export type JobResult = { content: TemplateContent } | { problems: TemplateProblem[] }
