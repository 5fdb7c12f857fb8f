import { useEffect, useState } from 'react'
import { type BulkProgress, runForEach } from './bulk-run.ts'

/** Action that a page runs for each of several entries, such as addresses, with its progress. */
export interface BulkRun {
  /** Progress of the latest run. Undefined before the first run. */
  progress: BulkProgress | undefined
  isRunning: boolean
  start: (keys: readonly string[], run: (key: string) => Promise<unknown>) => Promise<BulkProgress>
  /** Ends the run of the action after the entry for which the action is running now. */
  stop: () => void
  clearProgress: () => void
}

/**
 * Returns the state of an action that runs for each of several entries, and the functions that
 * start and stop the action. The run ends early when the page is left, or after `maxFailures`
 * failed entries.
 */
export function useBulkRun(maxFailures = Number.POSITIVE_INFINITY): BulkRun {
  const [progress, setProgress] = useState<BulkProgress>()
  const [running, setRunning] = useState<AbortController>()
  useEffect(() => () => running?.abort(), [running])
  return {
    progress,
    isRunning: running !== undefined,
    start: async (keys, run) => {
      const control = new AbortController()
      setRunning(control)
      const onProgress = (next: BulkProgress) => {
        if (next.failures.length >= maxFailures) control.abort()
        setProgress(next)
      }
      const end = await runForEach(keys, run, { signal: control.signal, onProgress })
      setRunning(undefined)
      return end
    },
    stop: () => running?.abort(),
    clearProgress: () => setProgress(undefined),
  }
}
