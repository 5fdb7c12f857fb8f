import type { ResponseForm } from '../provider-client/response-form.ts'

/**
 * Types of members in Gmail's JSON responses: members that are lists, and other members. Lists
 * without entries are absent, never null. Numbers of 64 bits are strings.
 */
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
  members: {
    attachmentId: 'string',
    body: 'object',
    data: 'string',
    emailAddress: 'string',
    expiration: 'string',
    filename: 'string',
    historyId: 'string',
    id: 'string',
    internalDate: 'string',
    labelListVisibility: 'string',
    message: 'object',
    messagesTotal: 'number',
    messagesUnread: 'number',
    mimeType: 'string',
    name: 'string',
    nextPageToken: 'string',
    partId: 'string',
    payload: 'object',
    raw: 'string',
    resultSizeEstimate: 'number',
    sendAsEmail: 'string',
    signature: 'string',
    size: 'number',
    sizeEstimate: 'number',
    snippet: 'string',
    threadId: 'string',
    type: 'string',
    value: 'string',
  },
}
