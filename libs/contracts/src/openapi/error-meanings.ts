/**
 * Meaning of each documented API error code, for the descriptions of error responses in the OpenAPI
 * document. See the sections "Codes", "503 codes" and "Provider-mapped errors" of the interface
 * spec.
 */
export const errorMeanings: Readonly<Record<string, string>> = {
  AccountAlreadyExists:
    'The OAuth2 user already belongs to another account with the same OAuth2 application. `existingAccount` is the id of the other account.',
  InvalidId: 'The id of the message, attachment or text cannot be decoded.',
  InvalidMessageId: 'Microsoft Graph cannot read the message id.',
  InvalidCursorType: 'The cursor comes from an account on another mail system.',
  InvalidCursorValue: 'The cursor cannot be decoded.',
  SearchCursorExpired:
    'The cursor has expired at the mail provider. Read the list again from the first page.',
  UnsupportedSearchTerm: 'The mail system of the account cannot filter by a term of the search.',
  UnsupportedOperation:
    'The operation, or a value in the request, is not possible in this case. `message` states the reason.',
  MessageNotDraft: 'The message is not a draft.',
  DraftHasNoRecipients: 'The draft has no recipients.',
  ReferenceNotSupported:
    'The account has no mailbox, so the request cannot refer to a stored message.',
  InvalidInput:
    'The account is on a mail API (Gmail API, Microsoft Graph), which has cursors instead of page numbers. Send `cursor` instead of `page`.',
  InvalidRecipients: 'The mail provider rejected the address of a recipient.',
  ForceRequired: 'The query parameter `force` must be true.',
  DeleteFailed:
    'The mail server rejected the deletion of the mailbox without a response code. `info.response` is the text of the mail server.',
  RenameFailed:
    'The mail server rejected the new name of the mailbox without a response code. `info.response` is the text of the mail server.',
  AccessDenied: 'The mail provider does not permit the request for the mailbox of the account.',
  ApiEndpointDisabled:
    'Reading OAuth2 access tokens of accounts is switched off. The setting `enableOAuthTokensApi` switches the operation on.',
  MailboxNotEnabled: 'The user of the account has no mailbox that Microsoft Graph can open.',
  MailReadingRequired:
    'The person at the administration pages has not activated the right to read mail, or does not have this right.',
  MintWidensRestrictions:
    'The new token would be less restricted than the token that sends the request.',
  OAuthTokenRejected:
    'The mail provider rejected the OAuth2 access token of the account, also after a renewal.',
  SendAsDenied: 'The mail provider does not permit sending with this sender address.',
  StepUpRequired:
    'The last sign-in of the person at the administration pages is more than ten minutes ago. Confirm it with a password, code or passkey, and repeat the request.',
  AccountNotFound: 'The account does not exist.',
  MessageNotFound: 'The message does not exist in the mailbox.',
  FolderNotFound: 'The mailbox does not exist.',
  ReferenceNotFound: 'The message that `reference` names does not exist.',
  TemplateNotFound: 'The template does not exist, or belongs to another account.',
  TrashNotFound: 'Microsoft Graph does not find the deleted items folder of the mailbox.',
  NotFound: 'The resource that the path names does not exist.',
  SMTPUnavailable: 'The account has no outgoing server and no OAuth2 login to send with.',
  MessageTooLarge: 'The message exceeds the size limit of the mail provider.',
  MissingServerExtension:
    'The mail server lacks an IMAP extension that the request needs. Do not retry.',
  QuotaExceeded:
    'The storage of the mailbox is full. A retry fails until messages are deleted or the quota is raised.',
  TooManyExports:
    'Too many exports are unfinished, or the storage of exports is full. `message` names the limit.',
  AppNotFound: 'The OAuth2 application of the account was deleted or disabled.',
  InvalidBaseScopes:
    '`baseScopes` of the OAuth2 application of the account does not fit the request. The mail API needs `api`, IMAP and SMTP need `imap`.',
  MissingServiceURLSetup: 'The setting `serviceUrl`, the base URL of links, has no value.',
  UploadFail: 'The mail server rejected the message, although the mailbox exists.',
  NotYetConnected:
    'The account has not connected yet, or its first sync runs. Retry when the account has the state `connected`.',
  AuthenticationFails: 'The mail server rejected the credentials of the account.',
  ConnectionError: 'The mail server cannot be reached.',
  NotSyncing:
    'Syncing is switched off for the account, by an operator or after repeated authentication failures.',
  NoAvailable: 'The account is disconnected from its mail server, or paused.',
  IMAPUnavailable: 'The connection to the mail server is interrupted. Retry after a few seconds.',
  WorkerNotAvailable:
    'No worker is responsible for the account now, or the worker stopped during the request. Retry.',
  Timeout:
    'No response within the timeout: `SVC_TIMEOUT` (default 10 s), or `X-SVC-Timeout` of the request.',
}
