/**
 * Error codes of operations that need the sync-worker of the account. See "503 codes", "504" and
 * "Provider-mapped errors" in the interface spec. The list includes codes for a deleted or
 * unsuitable OAuth2 application and for failed requests to a mail API.
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
