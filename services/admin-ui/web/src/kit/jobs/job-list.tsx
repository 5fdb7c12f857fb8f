import { useEffect, useState } from 'react'
import { describeJob, handledEntries } from '../../data/jobs/job-text.ts'
import {
  changedKeys,
  isUnfinished,
  type Job,
  jobActions,
  jobsKey,
  type JobTarget,
  useJobs,
} from '../../data/jobs/jobs.ts'
import { useRights } from '../../data/session.ts'
import { useAction, useRefresh } from '../../data/use-load.ts'
import { Panel } from '../content/panel.tsx'
import { TextList } from '../content/text-list.tsx'
import { Button } from '../controls/button.tsx'
import { ErrorBox } from '../states/error-box.tsx'

/**
 * Progress of the unfinished jobs of all people, and of jobs that ended after the page was opened.
 * Absent without such jobs. After the end of all jobs, the list is loaded again when this page
 * starts a job or the browser window gets the focus.
 */
export function JobList({ target }: { target: JobTarget }) {
  const { data } = useJobs(target)
  const refresh = useRefresh()
  const jobs: readonly Job[] = data?.jobs ?? []
  // A short job can end before it is listed for the first time. Therefore the jobs are remembered
  // that had ended before the page was opened: all other jobs are shown.
  const [former, setFormer] = useState<ReadonlySet<string>>()
  if (data && !former)
    setFormer(new Set(jobs.filter((job) => !isUnfinished(job)).map(({ id }) => id)))
  const shown = former ? jobs.filter(({ id }) => !former.has(id)) : []
  const states = shown.map(({ id, state }) => `${id} ${state}`).join()
  useEffect(() => {
    // A job that has started or ended has changed entries of the list.
    refresh(changedKeys[target])
  }, [states])
  return shown.map((job) => <JobProgress key={job.id} target={target} job={job} />)
}

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

/** Actions whose right permits the cancellation of jobs. */
const cancelRights = { accounts: 'operateAccounts', outbox: 'operateQueues' } as const

function JobProgress({ target, job }: { target: JobTarget; job: Job }) {
  const may = useRights()
  const cancel = useAction(jobActions.cancel, { refresh: [jobsKey] })
  const { id, action, total, errors } = job
  return (
    <Panel
      title={titles[action]}
      tools={
        isUnfinished(job) &&
        may(cancelRights[target]) && (
          <Button onPress={() => cancel.run({ target, job: id })} isPending={cancel.isRunning}>
            Cancel the job
          </Button>
        )
      }
    >
      <div role="status">
        <progress value={handledEntries(job)} max={total ?? 1} aria-label="Progress" />{' '}
        {describeJob(job)}
        <TextList texts={errors.map((error) => `${error.id}: ${error.message}`)} />
      </div>
      {cancel.error && <ErrorBox error={cancel.error} />}
    </Panel>
  )
}
