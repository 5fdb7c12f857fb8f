/**
 * Error codes of operations that need the worker of the account. Interface spec, "503 codes",
 * "504", and those of a deleted or unsuitable OAuth2 application.
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
] as const
