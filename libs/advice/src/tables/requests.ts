import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const badRequest = 'errors#400-the-request'
const notFound = 'errors#404-not-found'

function row(
  code: string | string[],
  texts: Omit<AdviceRow, 'id' | 'codes' | 'ownerText'>,
): AdviceRow {
  const codes = [code].flat()
  return { id: `api-${codes[0]}`, codes, ownerText: nothingToDo, ...texts }
}

/** Advice table for API responses whose request must change: status 400, 404, 413 and 422. */
export const requests: readonly AdviceRow[] = [
  row('AccountAlreadyExists', {
    meaning: 'The user at the provider already belongs to the account in `existingAccount`.',
    action: 'Use that account, or delete it first.',
    guide: badRequest,
  }),
  row('InvalidId', {
    meaning: 'The id of a message, attachment or text is damaged.',
    action: 'Use ids as the API returns them, percent-encoded in paths.',
    guide: badRequest,
  }),
  row(['InvalidMessageId', 'ErrorInvalidIdMalformed'], {
    meaning: 'Microsoft Graph cannot read the id of the message.',
    action: 'Use ids as the API returns them. List the messages again.',
    guide: badRequest,
  }),
  row('InvalidCursorType', {
    meaning: 'The cursor comes from an account at another mail system.',
    action: 'Read the list again from the first page.',
    guide: badRequest,
  }),
  row('InvalidCursorValue', {
    meaning: 'The cursor is damaged.',
    action: 'Read the list again from the first page, and send cursors unchanged.',
    guide: badRequest,
  }),
  row(['SearchCursorExpired', 'ErrorExecuteSearchStaleData'], {
    meaning: 'The provider no longer has the page of the list.',
    action: 'Read the list again from the first page.',
    guide: badRequest,
  }),
  row('InvalidInput', {
    meaning: 'Accounts at a mail API have cursors instead of page numbers.',
    action: 'Send `cursor` instead of `page`.',
    guide: 'read-and-search',
  }),
  row('UnsupportedSearchTerm', {
    meaning: 'The mail system of the account cannot search by one of the terms.',
    action: 'Leave the term out, or filter the results in your program.',
    guide: 'read-and-search',
  }),
  row('UnsupportedOperation', {
    meaning: 'The mail system of the account, or the present state, does not permit the operation.',
    action: 'Read `message` of the response, which has the reason.',
    guide: badRequest,
  }),
  row('MessageNotDraft', {
    meaning: 'Only drafts can be submitted in this way, and the message is no draft.',
    action: 'Submit the message with `raw`.',
    guide: 'send#what-can-go-wrong',
  }),
  row('DraftHasNoRecipients', {
    meaning: 'The draft has no recipients.',
    action: 'Add recipients to the draft.',
    guide: 'send#what-can-go-wrong',
  }),
  row('ReferenceNotSupported', {
    meaning: 'The account has no mailbox, so that replies and forwards cannot name a message.',
    action: 'Submit the message without `reference`.',
    guide: 'send#reply-and-forward',
  }),
  row(['InvalidRecipients', 'ErrorInvalidRecipients'], {
    meaning: 'The provider rejects the address of a recipient.',
    action: 'Correct the addresses.',
    guide: badRequest,
  }),
  row('ForceRequired', {
    meaning: 'The request would delete all templates and asks for a confirmation.',
    action: 'Add `force=true` if you really want to delete them.',
    guide: badRequest,
  }),
  row('DeleteFailed', {
    meaning: 'The mail server refuses to delete the mailbox.',
    action:
      'Read `info.response`. Mailboxes of the provider, such as the Inbox, cannot be deleted.',
    guide: badRequest,
  }),
  row('RenameFailed', {
    meaning: 'The mail server refuses the new name of the mailbox.',
    action: 'Read `info.response`, and choose another name.',
    guide: badRequest,
  }),
  row(['ALREADYEXISTS', 'NONEXISTENT', 'CANNOT', 'LIMIT', 'NOPERM', 'INUSE', 'OVERQUOTA'], {
    meaning: 'The mail server refuses the change of a mailbox with a code of RFC 5530.',
    action:
      'Read `info.response`. List the mailboxes again: another program may have changed them.',
    guide: badRequest,
  }),
  row('AccountNotFound', {
    meaning: 'The account of the export does not exist.',
    action: 'Check the id of the account.',
    guide: notFound,
  }),
  row(['MessageNotFound', 'ErrorItemNotFound'], {
    meaning: 'The message was deleted or moved. A moved message has another id.',
    action: 'List or search the messages again.',
    guide: notFound,
  }),
  row(['FolderNotFound', 'TRYCREATE'], {
    meaning: 'No mailbox of the account has this path.',
    action: 'List the mailboxes, or create the mailbox.',
    guide: notFound,
  }),
  row('ReferenceNotFound', {
    meaning: 'The message to reply to or to forward no longer exists.',
    action: 'Submit without `reference`, or set `ignoreMissing`.',
    guide: 'send#reply-and-forward',
  }),
  row('TemplateNotFound', {
    meaning: 'The template does not exist, or belongs to another account.',
    action: 'Check the id of the template.',
    guide: 'templates-merges-lists',
  }),
  row('TrashNotFound', {
    meaning: 'The mailbox has no folder for deleted messages.',
    action: 'Move messages to a mailbox that you name.',
    guide: notFound,
  }),
  row('NotFound', {
    meaning: 'The template, webhook route, application, delivery or export does not exist.',
    action: 'Check the id in the path.',
    guide: notFound,
  }),
  row('SMTPUnavailable', {
    meaning: 'The account has no outgoing server and no OAuth2 login to send with.',
    action: 'Add `smtp` to the account, or name a `gateway` in the submission.',
    guide: 'send#copies-gateways-tracking',
  }),
  row(['MessageTooLarge', 'ErrorMessageSizeExceeded'], {
    meaning: 'The message is larger than the provider accepts.',
    action: 'Send large files as a link.',
    guide: 'errors#413-422-429',
  }),
  row('MissingServerExtension', {
    meaning: 'The mail server lacks an IMAP extension that the request needs.',
    action: 'Do without the feature for this account. A retry fails again.',
    guide: 'errors#413-422-429',
  }),
]
