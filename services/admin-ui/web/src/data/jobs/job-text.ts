import type { Job } from './jobs.ts'

/** State of a bulk job. */
export type JobState = Job['state']

type Progress = Pick<Job, 'state' | 'maxEntries' | 'total' | 'done' | 'failed' | 'skipped'>

/** Number of the entries of a bulk job whose action has ended, or that were skipped. */
export function handledEntries({
  done,
  failed,
  skipped,
}: Pick<Progress, 'done' | 'failed' | 'skipped'>): number {
  return done + failed + skipped
}

/** Progress of a bulk job as a sentence. */
export function describeJob(job: Progress): string {
  const { state } = job
  if (state === 'queued') return 'The job waits for its start.'
  if (isOversized(job))
    return `Not run: ${oversizeText(job)}. Check the list and start the job again.`
  if (state === 'cancelled') return `Cancelled: ${countsText(job)}.`
  return state === 'done' ? `Ended: ${countsText(job)}.` : `Running: ${countsText(job)}.`
}

/** True if a bulk job was cancelled because more entries matched the filter than were confirmed. */
function isOversized({ state, maxEntries, total }: Progress): boolean {
  return state === 'cancelled' && maxEntries !== null && total !== null && total > maxEntries
}

function oversizeText({ total, maxEntries }: Progress): string {
  return `${total} entries match the filters, more than the confirmed ${maxEntries}`
}

function countsText({ total, done, failed, skipped }: Progress): string {
  return [
    `${done} of ${total ?? 'an unknown number'} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped, because they do not match any more`] : []),
  ].join(', ')
}

/** Names of the actions of bulk jobs. */
const titles: Readonly<Record<Job['action'], string>> = {
  reconnect: 'Reconnect accounts',
  sync: 'Sync accounts',
  flush: 'Rebuild mailbox indexes',
  delete: 'Delete accounts',
  logs: 'Switch protocol logs',
  hold: 'Hold messages',
  release: 'Release messages',
  send: 'Send messages now',
  cancel: 'Cancel messages',
}

/** Bulk job with a name that is unique in a list of jobs. */
export type NamedJob = Job & { name: string }

/**
 * Names each bulk job after the action of the job. Further jobs with the same action get numbers in
 * the order of creation, so that the name of a job does not change. `jobs`: newest first.
 */
export function nameJobs(jobs: readonly Job[]): readonly NamedJob[] {
  return jobs.map((job, index) => {
    const earlier = jobs.slice(index + 1).filter(({ action }) => action === job.action).length
    const title = titles[job.action]
    return { ...job, name: earlier === 0 ? title : `${title}, job ${earlier + 1}` }
  })
}

type Announced = Pick<NamedJob, 'id' | 'name'> & Progress

/**
 * Sentences about bulk jobs that have started or ended since a former list, for screen readers.
 * Other progress is left out, because an announcement every 2 s would interrupt the reading.
 * `before`: states of the jobs in the former list, by id.
 */
export function jobNews(
  before: ReadonlyMap<string, JobState>,
  jobs: readonly Announced[],
): readonly string[] {
  const changed = jobs.filter(({ id, state }) => state !== 'queued' && before.get(id) !== state)
  return changed.map((job) => {
    if (job.state === 'running') return `Job started: ${job.name}.`
    if (isOversized(job)) return `Job not run: ${job.name}, ${oversizeText(job)}.`
    const verb = job.state === 'done' ? 'ended' : 'cancelled'
    return `Job ${verb}: ${job.name}, ${countsText(job)}.`
  })
}
