import type { TemplateRow } from '../../store/templates.ts'

/** A template in a list. */
export function describeListed(row: Omit<TemplateRow, 'account' | 'content'>) {
  const { id, name, description, format, createdAt, updatedAt } = row
  return {
    id,
    name,
    ...(description === null ? {} : { description }),
    format,
    created: createdAt.toISOString(),
    updated: updatedAt.toISOString(),
  }
}

export function describeTemplate(row: TemplateRow) {
  const { account, content } = row
  return { account, ...describeListed(row), content }
}
