/** Progress of an action on several accounts. */
export interface BulkProgress {
  done: number
  total: number
  /** Error messages of the accounts for which the action failed, by account. */
  failures: readonly (readonly [account: string, message: string])[]
}

/**
 * Runs an action for each of several accounts, one after another, so that the mail servers are not
 * flooded. Failed accounts do not stop the others. Ends early when the signal aborts.
 */
export async function runForEach(
  accounts: readonly string[],
  run: (account: string) => Promise<unknown>,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: BulkProgress) => void },
): Promise<BulkProgress> {
  let progress: BulkProgress = { done: 0, total: accounts.length, failures: [] }
  onProgress(progress)
  for (const account of accounts) {
    if (signal.aborted) break
    const failure = await run(account).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    const { done, total, failures } = progress
    progress = {
      done: done + 1,
      total,
      failures: failure === undefined ? failures : [...failures, [account, failure]],
    }
    onProgress(progress)
  }
  return progress
}
