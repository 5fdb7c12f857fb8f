/**
 * Error codes of operations that need the worker of the account. Interface spec, "503 codes" and
 * "504". Includes codes of a deleted or unsuitable OAuth2 application, and of failed requests to a
 * mail API ("Provider-mapped errors").
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
