import { TemplateCreation } from '@posthorn/contracts/schemas/template'
import type { StoredObject } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { fitInput } from './fit-input.ts'
import { compact, isUnset, withoutMembers } from './values.ts'

export interface StoredTemplate {
  /**
   * Id of the account that owns the EmailEngine template. Empty if all accounts can use the
   * template.
   */
  account: string
  meta: StoredObject
  content: StoredObject
}

/** Maps a template of EmailEngine to the body of `createTemplate`. The input contains no id. */
export function mapTemplate(
  id: string,
  { account, meta, content }: StoredTemplate,
): Entry<TemplateCreation> {
  const { name, description, format } = meta
  return fitInput(
    {
      kind: 'template',
      id,
      schema: TemplateCreation,
      essential: { valid: /^(?:account|name|format|content)(?:\.|$)/ },
    },
    {
      candidate: compact({
        account: account === '' ? null : account,
        name: isUnset(name) ? id : name,
        description: isUnset(description) ? undefined : description,
        format: isUnset(format) ? undefined : format,
        content: withoutMembers(content, []),
      }),
      changes: isUnset(name) ? ['name: set to the id'] : [],
    },
  )
}
