/**
 * Error codes of operations that need the worker of the account. Interface spec, "503 codes" and
 * "504", codes of a deleted or unsuitable OAuth2 application, and codes that any request to a mail
 * API may lead to ("Provider-mapped errors").
 */
export const workerErrors = [
  'NotYetConnected',
  'AuthenticationFails',
  'ConnectionError',
  'NotSyncing',
  'NoAvailable',
  'IMAPUnavailable',
  'WorkerNotAvailable',
  'Timeout',
  'AppNotFound',
  'InvalidBaseScopes',
  'OAuthTokenRejected',
  'AccessDenied',
  'MailboxNotEnabled',
  'QuotaExceeded',
] as const
