import type { TemplateContent, TemplateFormat, TemplateProblem } from './content.ts'

/** Rendering of a content; without a context, a check of its syntax. */
export interface Job {
  content: TemplateContent
  format: TemplateFormat
  /** Context of the template as JSON. */
  context?: string
}

export type JobResult = { content: TemplateContent } | { problems: TemplateProblem[] }
