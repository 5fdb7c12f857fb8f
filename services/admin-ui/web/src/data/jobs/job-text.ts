import type { Job } from './jobs.ts'

type Progress = Pick<Job, 'state' | 'maxEntries' | 'total' | 'done' | 'failed' | 'skipped'>

/** Number of the entries of a job whose action has ended, or that were skipped. */
export function handledEntries({
  done,
  failed,
  skipped,
}: Pick<Progress, 'done' | 'failed' | 'skipped'>): number {
  return done + failed + skipped
}

/** Progress of a job as a sentence. */
export function describeJob(job: Progress): string {
  const { state, maxEntries, total, done, failed, skipped } = job
  if (state === 'queued') return 'The job waits for its start.'
  if (state === 'cancelled' && maxEntries !== null && total !== null && total > maxEntries)
    return `Not run: ${total} entries match the filters, more than the confirmed ${maxEntries}. Check the list and start the job again.`
  const counts = [
    `${done} of ${total ?? 'an unknown number'} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped, because they do not match any more`] : []),
  ].join(', ')
  if (state === 'cancelled') return `Cancelled: ${counts}.`
  return state === 'done' ? `Ended: ${counts}.` : `Running: ${counts}.`
}
