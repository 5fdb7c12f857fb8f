/**
 * Error codes of operations that need the worker of the account. Interface spec, "503 codes",
 * "504".
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
] as const
