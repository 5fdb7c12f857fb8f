/** Texts of a message template that may contain expressions. */
export interface TemplateContent {
  subject?: string
  text?: string
  html?: string
  previewText?: string
}

export const contentFields = ['subject', 'text', 'html', 'previewText'] as const
export type ContentField = (typeof contentFields)[number]

/** Markup language of the text `html` of a message template. */
export type TemplateFormat = 'html' | 'markdown'

/**
 * Values for the expressions of a message template. Passed as JSON, so without functions and
 * prototypes.
 */
export interface RenderContext {
  params: Record<string, unknown>
  account: { name: string; email: string | null }
  service: { url: string | null }
  rcpt?: { name?: string; address?: string; unsubscribeUrl?: string }
}

/** Problem in one text of a message template. */
export interface TemplateProblem {
  field: ContentField
  /** Line of the message template text that has the problem; absent if unknown. */
  line?: number
  reason: string
}
