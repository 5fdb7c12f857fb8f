import { type RefObject, useEffect, useRef, useState } from 'react'
import { describeJob, handledEntries, type NamedJob, nameJobs } from '../../data/jobs/job-text.ts'
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
import { Announcement } from '../states/announcement.tsx'
import { ErrorBox } from '../states/error-box.tsx'
import { useFocusReturn } from '../use-focus-return.ts'
import { useJobNews } from './use-job-news.ts'

/**
 * Progress of the unfinished bulk jobs of all people, and of jobs that ended after the page was
 * opened. Without such jobs, nothing is visible. Screen readers announce the start and the end of a
 * job. After the end of all jobs, the job list is loaded again when this page starts a job or the
 * browser window gets the focus.
 */
export function JobList({ target }: { target: JobTarget }) {
  const { data } = useJobs(target)
  const refresh = useRefresh()
  const jobs: readonly Job[] = data?.jobs ?? []
  // A short bulk job can end before it is listed for the first time. Therefore the jobs are
  // remembered that had ended before the page was opened: all other jobs are shown.
  const [former, setFormer] = useState<ReadonlySet<string>>()
  if (data && !former)
    setFormer(new Set(jobs.filter((job) => !isUnfinished(job)).map(({ id }) => id)))
  const shown = nameJobs(former ? jobs.filter(({ id }) => !former.has(id)) : [])
  const news = useJobNews(former && shown)
  const states = shown.map(({ id, state }) => `${id} ${state}`).join()
  useEffect(() => {
    // A bulk job that has started or ended has changed entries of the list.
    refresh(changedKeys[target])
  }, [states])
  return (
    <>
      <Announcement text={news} />
      {shown.map((job) => (
        <JobProgress key={job.id} target={target} job={job} />
      ))}
    </>
  )
}

/** Actions whose right permits the cancellation of bulk jobs. */
const cancelRights = { accounts: 'operateAccounts', outbox: 'operateQueues' } as const

function JobProgress({ target, job }: { target: JobTarget; job: NamedJob }) {
  const may = useRights()
  const heading = useRef<HTMLHeadingElement>(null)
  const cancel = useAction(jobActions.cancel, { refresh: [jobsKey] })
  const { id, name, total, errors } = job
  const canCancel = isUnfinished(job) && may(cancelRights[target])
  return (
    <Panel
      title={name}
      headingRef={heading}
      tools={
        canCancel && (
          <CancelButton
            name={name}
            heading={heading}
            onPress={() => cancel.run({ target, job: id })}
            isPending={cancel.isRunning}
          />
        )
      }
    >
      <div>
        <progress
          value={handledEntries(job)}
          max={total ?? 1}
          aria-label={`Progress of the job: ${name}`}
        />{' '}
        {describeJob(job)}
        <TextList texts={errors.map((error) => `${error.id}: ${error.message}`)} />
      </div>
      {cancel.error && <ErrorBox error={cancel.error} />}
    </Panel>
  )
}

interface CancelButtonProps {
  /** Name of the bulk job that the button cancels. */
  name: string
  /** Heading of the bulk job. The heading takes the focus when the job has ended. */
  heading: RefObject<HTMLHeadingElement | null>
  onPress: () => void
  isPending: boolean
}

function CancelButton({ name, heading, onPress, isPending }: CancelButtonProps) {
  useFocusReturn(heading)
  return (
    <Button label={`Cancel the job: ${name}`} onPress={onPress} isPending={isPending}>
      Cancel the job
    </Button>
  )
}
