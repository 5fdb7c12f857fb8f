import {
  assertForm,
  isObject,
  isObjectList,
  malformed,
  type ResponseForm,
} from '../provider-client/response-form.ts'

const form: ResponseForm = {
  lists: {
    attachments: 'object',
    bccRecipients: 'object',
    categories: 'string',
    ccRecipients: 'object',
    internetMessageHeaders: 'object',
    replyTo: 'object',
    toRecipients: 'object',
  },
  members: {
    '@odata.deltaLink': 'string',
    '@odata.nextLink': 'string',
    '@removed': 'object',
    body: 'object',
    bodyPreview: 'string',
    childFolderCount: 'number',
    content: 'string',
    contentId: 'string',
    contentType: 'string',
    conversationId: 'string',
    createdDateTime: 'string',
    displayName: 'string',
    emailAddress: 'object',
    flag: 'object',
    flagStatus: 'string',
    from: 'object',
    hasAttachments: 'boolean',
    id: 'string',
    internetMessageId: 'string',
    isDraft: 'boolean',
    isHidden: 'boolean',
    isInline: 'boolean',
    isRead: 'boolean',
    name: 'string',
    parentFolderId: 'string',
    receivedDateTime: 'string',
    sender: 'object',
    sentDateTime: 'string',
    size: 'number',
    subject: 'string',
    totalItemCount: 'number',
    unreadItemCount: 'number',
  },
  // The address of a meeting room is an object.
  within: { emailAddress: { address: 'string' } },
  hasNulls: true,
  neverNull: new Set(['@odata.deltaLink', '@odata.nextLink', '@removed', 'id']),
}

/**
 * Checks the form of a Graph response or of a part of a batch: an object. The entries of a page are
 * in `value`; other members of that name are deeper.
 *
 * @throws MailApiError `unavailable`
 */
export function assertGraphForm(json: unknown): asserts json is object {
  assertForm(json, form)
  if ('value' in json && !isObjectList(json.value)) throw malformed('value is no list')
}

/**
 * Checks the form of a Graph batch response. Its parts are checked one by one. @throws MailApiError
 * `unavailable`
 */
export function assertBatchForm<T>(json: T): asserts json is T & { responses: object[] } {
  if (!isObject(json) || !('responses' in json) || !isObjectList(json.responses))
    throw malformed('responses is no list')
}
