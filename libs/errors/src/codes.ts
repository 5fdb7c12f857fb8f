/** Codes of API error bodies. Interface spec, "Codes", "503 codes" and "Provider-mapped errors". */
export const errorCodes = [
  'AccessDenied',
  'AccountAlreadyExists',
  'AccountNotFound',
  'ApiEndpointDisabled',
  'AppNotFound',
  'AuthenticationFails',
  'ConnectionError',
  'DeleteFailed',
  'DraftHasNoRecipients',
  'FolderNotFound',
  'ForceRequired',
  'IMAPUnavailable',
  'InvalidBaseScopes',
  'InvalidCursorType',
  'InvalidCursorValue',
  'InvalidId',
  'InvalidInput',
  'InvalidMessageId',
  'InvalidRecipients',
  'MailboxNotEnabled',
  'MessageNotDraft',
  'MessageNotFound',
  'MessageTooLarge',
  'MintWidensRestrictions',
  'MissingServerExtension',
  'MissingServiceURLSetup',
  'NoAvailable',
  'NotFound',
  'NotSyncing',
  'NotYetConnected',
  'OAuthTokenRejected',
  'QuotaExceeded',
  'ReferenceNotFound',
  'ReferenceNotSupported',
  'RenameFailed',
  'SMTPUnavailable',
  'SearchCursorExpired',
  'SendAsDenied',
  'TemplateNotFound',
  'Timeout',
  'TooManyExports',
  'TrashNotFound',
  'UnsupportedOperation',
  'UnsupportedSearchTerm',
  'UploadFail',
  'WorkerNotAvailable',
] as const

/**
 * Error code: a documented code, or the response code of a mail server (ALREADYEXISTS, LIMIT …).
 */
export type ErrorCode = (typeof errorCodes)[number] | (string & {})

const applicationErrors: ReadonlySet<ErrorCode | undefined> = new Set([
  'AppNotFound',
  'InvalidBaseScopes',
])

/**
 * True for the error codes of an OAuth2 application that was deleted or disabled, or is not for the
 * mail system of the account. An operator has to repair the application. Interface spec, "Codes".
 */
export function isApplicationError(code: ErrorCode | undefined): boolean {
  return applicationErrors.has(code)
}
