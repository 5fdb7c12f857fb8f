/**
 * Codes in API error bodies. See the sections "Codes", "503 codes" and "Provider-mapped errors" of
 * the interface spec.
 */
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
  'MailReadingRequired',
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
  'StepUpRequired',
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
 * True if the error code means that an OAuth2 application was deleted or disabled, or does not fit
 * the mail system of the account. An operator has to repair the application. See the section
 * "Codes" of the interface spec.
 */
export function isApplicationError(code: ErrorCode | undefined): boolean {
  return applicationErrors.has(code)
}
