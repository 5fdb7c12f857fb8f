import type { ResponseForm } from '../provider-client/response-form.ts'

/** Members of Gmail resources that are lists. Lists without entries are absent, never null. */
export const gmailForm: ResponseForm = {
  lists: {
    drafts: 'object',
    headers: 'object',
    history: 'object',
    labelIds: 'string',
    labels: 'object',
    labelsAdded: 'object',
    labelsRemoved: 'object',
    messages: 'object',
    messagesAdded: 'object',
    messagesDeleted: 'object',
    parts: 'object',
    sendAs: 'object',
  },
}
