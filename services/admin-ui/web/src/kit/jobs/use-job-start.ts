import { useEffect } from 'react'
import { type Job, jobsKey } from '../../data/jobs/jobs.ts'
import { type Action, useAction } from '../../data/use-load.ts'
import { isNothingMarked, type Marked, nothingMarked } from './use-marked.ts'

interface Selection {
  marked: Marked
  onChange: (marked: Marked) => void
}

/**
 * Starts jobs on the selected entries of a list. The start of a job ends the selection. The end of
 * the selection drops the error of a failed start.
 */
export function useJobStart<I>(
  start: (input: I) => Promise<Job>,
  { marked, onChange }: Selection,
): Action<I, Job> {
  const action = useAction(start, {
    refresh: [jobsKey],
    onDone: () => onChange(nothingMarked),
  })
  const isNothing = isNothingMarked(marked)
  useEffect(() => {
    if (isNothing) action.reset()
  }, [isNothing])
  return action
}
