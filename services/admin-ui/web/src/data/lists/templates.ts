import type {
  CreateTemplateInput,
  GetTemplateResult,
  ListTemplatesInput,
  ListTemplatesResult,
  SubmitMessageInput,
  UpdateTemplateInput,
} from '@posthorn/client'
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  submitMessage,
  updateTemplate,
} from '@posthorn/client/operations'
import type { Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { useLoad } from '../use-load.ts'

/** Message template in the list of templates. */
export type TemplateEntry = ListTemplatesResult['templates'][number]
/** Message template with its texts. */
export type TemplateRecord = GetTemplateResult
/** Request that creates a message template. */
export type TemplateBody = CreateTemplateInput['body']
/** Request that changes a message template. */
export type TemplateChange = UpdateTemplateInput['body']
/** Request that submits a message. */
export type MessageBody = SubmitMessageInput['body']

/**
 * Path of the frame with the preview of a template. A form sends the HTML in the field `html`, and
 * `remote` in the field `images` to load images of other hosts.
 */
export const templateFramePath = '/admin/frame/template'

/** Cache key of the message templates. */
export const templatesKey = ['templates'] as const

/** Loads a page of the templates of an account, or of the templates for all accounts. */
export function useTemplates(input: ListTemplatesInput): Load<ListTemplatesResult> {
  return useLoad([...templatesKey, 'list', input], () => listTemplates(calls.api, input))
}

/** Loads a message template with its texts. */
export function useTemplate(template: string): Load<TemplateRecord> {
  return useLoad([...templatesKey, 'one', template], () => getTemplate(calls.api, { template }))
}

/** Calls that change templates, and the submission of a message that uses a template. */
export const templateActions = {
  create: (body: TemplateBody) => createTemplate(calls.api, { body }),
  update: ({ id, body }: { id: string; body: TemplateChange }) =>
    updateTemplate(calls.api, { template: id, body }),
  remove: (id: string) => deleteTemplate(calls.api, { template: id }),
  submit: ({ account, body }: { account: string; body: MessageBody }) =>
    submitMessage(calls.api, { account, body }),
}
