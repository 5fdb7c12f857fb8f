/** Progress of an action on several things, such as accounts. */
export interface BulkProgress {
  done: number
  total: number
  /** Error messages of the keys for which the action failed, by key. */
  failures: readonly (readonly [key: string, message: string])[]
}

/**
 * Runs an action for each of several keys, one after another, so that the servers are not flooded.
 * A failed action does not stop the others. Ends early when the signal aborts.
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
