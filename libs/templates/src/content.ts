/** The texts of a message that may hold expressions. */
export interface TemplateContent {
  subject?: string
  text?: string
  html?: string
  previewText?: string
}

export const contentFields = ['subject', 'text', 'html', 'previewText'] as const
export type ContentField = (typeof contentFields)[number]

/** What `html` is written in. */
export type TemplateFormat = 'html' | 'markdown'

/** What expressions may name. It reaches them as JSON: no functions, no prototypes. */
export interface RenderContext {
  params: Record<string, unknown>
  account: { name: string; email: string | null }
  service: { url: string | null }
  rcpt?: { name?: string; address?: string; unsubscribeUrl?: string }
}

/** What is wrong with one text. */
export interface TemplateProblem {
  field: ContentField
  /** Absent where it cannot be told. */
  line?: number
  reason: string
}
