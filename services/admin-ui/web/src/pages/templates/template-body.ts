import { readJsonObject } from '../../data/json-object.ts'
import type { MessageBody, TemplateBody, TemplateRecord } from '../../data/lists/templates.ts'

/** Texts of a message template with placeholders. Blank: the template has no such text. */
export interface TemplateTexts {
  subject: string
  previewText: string
  text: string
  html: string
}

/** Format of the HTML of a message template. */
export type TemplateFormat = TemplateRecord['format']

const noTexts: TemplateTexts = { subject: '', previewText: '', text: '', html: '' }

/** Texts of a stored message template. */
export function textsOf({ content }: Pick<TemplateRecord, 'content'>): TemplateTexts {
  return { ...noTexts, ...content }
}

/** Texts of a message template as the API expects them, without blank texts. */
export function contentOf(texts: TemplateTexts): Partial<TemplateTexts> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim() !== ''))
}

/** Texts of a message template, and the format of its HTML. */
export interface TemplateDraft {
  texts: TemplateTexts
  format: TemplateFormat
}

/** Request that creates a message template, from the fields of the form. */
export function templateBody(
  values: Readonly<Record<string, string>>,
  { texts, format }: TemplateDraft,
): TemplateBody {
  const { id = '', account = '', name = '', description = '' } = values
  return {
    ...(id !== '' && { id }),
    account: account === '' ? null : account,
    name,
    description,
    format,
    content: contentOf(texts),
  }
}

/** Sender, recipient and placeholder values of a template's preview or test mail. */
export interface TrialInput {
  account: string
  address: string
  /** Values of the placeholders `params.…`, as JSON. */
  values: string
}

/** Request that renders the texts of a template without sending a message. */
export function previewBody(draft: TemplateDraft, input: TrialInput): MessageBody {
  return {
    to: [{ address: input.address }],
    ...contentOf(draft.texts),
    render: { format: draft.format, params: paramsOf(input) },
    dryRun: true,
  }
}

/** Request that sends a message with the stored texts of a template. */
export function testMailBody(template: string, input: TrialInput): MessageBody {
  return { to: [{ address: input.address }], template, render: { params: paramsOf(input) } }
}

function paramsOf({ values }: TrialInput): Record<string, unknown> {
  return readJsonObject(values.trim() === '' ? '{}' : values, 'The values')
}

/**
 * JSON with a member for each name after `params.` in the texts of a template, so that a person
 * only fills in the values.
 */
export function firstValues(texts: TemplateTexts): string {
  const all = Object.values(texts).join('\n')
  const names = [...all.matchAll(/\bparams\.(\w+)/g)].map(([, name = '']) => name)
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, ''])), null, 2)
}
