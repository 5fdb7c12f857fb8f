import type { Generated } from 'kysely'
import type { Json } from './json.ts'

export interface StoredContent {
  subject?: string
  text?: string
  html?: string
  previewText?: string
}

/** Message templates. Written by api-gateway. */
export interface Templates {
  id: string
  /** Null for a template of all accounts. */
  account: string | null
  name: string
  description: string | null
  format: Generated<'html' | 'markdown'>
  content: Json<StoredContent>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}
