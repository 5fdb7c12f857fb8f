import type { TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'

/** Job that renders the texts of a template; without a context, a check of their syntax. */
export interface Job {
  content: TemplateContent
  format: TemplateFormat
  /** Context of the template as JSON. */
  context?: string
}

export type JobResult = { content: TemplateContent } | { problems: TemplateProblem[] }
