/** How whatever is asked of an account's worker may fail to be answered. Interface spec, "503 codes" and "504". */
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
