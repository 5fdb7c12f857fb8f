import type { TemplateContent } from '@posthorn/contracts/schemas/template'
import type { Generated } from 'kysely'
import type { Json } from './json.ts'

/** Message templates. Written by api-gateway. */
export interface Templates {
  id: string
  /** Account to which the message template belongs. Null for a template of all accounts. */
  account: string | null
  name: string
  description: string | null
  format: Generated<'html' | 'markdown'>
  content: Json<TemplateContent>
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
}
