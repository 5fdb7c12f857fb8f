import type { Job } from './jobs.ts'

type Progress = Pick<Job, 'state' | 'total' | 'done' | 'failed' | 'skipped'>

/** Number of the entries of a job whose action has ended, or that were skipped. */
export function handledEntries({ done, failed, skipped }: Progress): number {
  return done + failed + skipped
}

/** Progress of a job as a sentence. */
export function describeJob(job: Progress): string {
  const { state, total, done, failed, skipped } = job
  if (state === 'queued') return 'The job waits for its start.'
  const counts = [
    `${done} of ${total ?? 'an unknown number'} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped, because they do not match any more`] : []),
  ].join(', ')
  if (state === 'cancelled') return `Cancelled: ${counts}.`
  return state === 'done' ? `Ended: ${counts}.` : `Running: ${counts}.`
}
