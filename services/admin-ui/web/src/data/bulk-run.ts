/** Progress of an action that runs for each key of a list, such as the ids of accounts. */
export interface BulkProgress {
  done: number
  total: number
  /** Error messages of the keys for which the action failed, by key. */
  failures: readonly (readonly [key: string, message: string])[]
}

/**
 * Runs an action for each key of a list, such as the ids of accounts. The next action starts when
 * the previous action has ended, so that the servers are not flooded. Actions continue after a
 * failed action. No further action starts after the signal aborts.
 */
export async function runForEach(
  keys: readonly string[],
  run: (key: string) => Promise<unknown>,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: BulkProgress) => void },
): Promise<BulkProgress> {
  let progress: BulkProgress = { done: 0, total: keys.length, failures: [] }
  onProgress(progress)
  for (const key of keys) {
    if (signal.aborted) break
    const failure = await run(key).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    const { done, total, failures } = progress
    progress = {
      done: done + 1,
      total,
      failures: failure === undefined ? failures : [...failures, [key, failure]],
    }
    onProgress(progress)
  }
  return progress
}
