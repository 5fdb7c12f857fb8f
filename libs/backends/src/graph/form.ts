import {
  assertForm,
  isObject,
  isObjectList,
  malformed,
  malformedMember,
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
  // The member `address` is a string only within `emailAddress`: the address of a meeting room is
  // an object.
  within: { emailAddress: { address: 'string' } },
  hasNulls: true,
  neverNull: new Set(['@odata.deltaLink', '@odata.nextLink', '@removed', 'id']),
}

/**
 * Checks that a Graph response, or the response to one part of a batch, is an object of the
 * expected form. Only at the top level, the member `value` must be the list of entries of a page.
 *
 * @throws MailApiError `unavailable`
 */
export function assertGraphForm(json: unknown): asserts json is object {
  assertForm(json, form)
  if (!('value' in json)) return
  if (!Array.isArray(json.value)) throw malformed('value is no list')
  if (!isObjectList(json.value)) throw malformedMember('an entry is no object')
}

/**
 * Checks the form of a Graph batch response. The form of its parts is checked separately.
 * @throws MailApiError `unavailable`
 */
export function assertBatchForm<T>(json: T): asserts json is T & { responses: object[] } {
  if (!isObject(json) || !('responses' in json) || !isObjectList(json.responses))
    throw malformed('responses is no list')
}
