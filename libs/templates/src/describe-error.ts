import { messageOf } from '@posthorn/errors'
import type { ContentField, TemplateProblem } from './content.ts'
import { TemplateError } from './parse-template.ts'

/**
 * Maximum length of the reason in a template problem. Error messages of Handlebars quote the
 * template, so they can be long.
 */
const maxReasonLength = 300

/** Describes an error of a message template for its author. */
export function describeError(field: ContentField, error: unknown): TemplateProblem {
  const line = lineOf(error)
  return { field, reason: reasonOf(error), ...(line !== undefined && { line }) }
}

function lineOf(error: unknown): number | undefined {
  if (error instanceof TemplateError) return error.line
  if (error instanceof Error && 'lineNumber' in error && typeof error.lineNumber === 'number')
    return error.lineNumber
  const [, line] = /^(?:Parse error|Lexical error) on line (\d+)/.exec(messageOf(error)) ?? []
  return line === undefined ? undefined : Number(line)
}

function reasonOf(error: unknown): string {
  if (error instanceof TemplateError) return error.message
  const message = messageOf(error)
  if (error instanceof RangeError)
    return message.startsWith('Invalid string length')
      ? 'renders to more than is allowed'
      : 'is nested too deeply'
  const [, helper] = /used the unknown helper (.+?)(?: - \d+:\d+)?$/.exec(message) ?? []
  if (helper !== undefined) return `there is no helper "${helper.slice(0, 100)}"`
  return message.replace(/ - \d+:\d+$/, '').slice(0, maxReasonLength)
}
