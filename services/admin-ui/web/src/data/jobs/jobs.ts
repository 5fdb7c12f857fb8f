import type {
  CreateAccountJobInput,
  CreateOutboxJobInput,
  ListAccountJobsResult,
  ListOutboxJobsResult,
} from '@posthorn/client'
import {
  cancelAccountJob,
  cancelOutboxJob,
  createAccountJob,
  createOutboxJob,
  listAccountJobs,
  listOutboxJobs,
} from '@posthorn/client/operations'
import { accountsKey, outboxKey } from '../cache-keys.ts'
import type { Load } from '../load-state.ts'
import { calls } from '../query-client.ts'
import { useLoad } from '../use-load.ts'

/** Job on many accounts or on many messages in the outbox, with its progress. */
export type Job = ListAccountJobsResult['jobs'][number] | ListOutboxJobsResult['jobs'][number]

/** Entries on which a bulk job runs: accounts, or messages in the outbox. */
export type JobTarget = 'accounts' | 'outbox'

/** Filter that selects accounts for a job. */
export type AccountJobFilter = NonNullable<CreateAccountJobInput['body']['filter']>
/** Filter that selects messages in the outbox for a job. */
export type OutboxJobFilter = NonNullable<CreateOutboxJobInput['body']['filter']>

type AccountAction = CreateAccountJobInput['body']['action']
type OutboxAction = CreateOutboxJobInput['body']['action']

/**
 * Request for a job on many accounts. The page has let the person confirm actions that delete, and
 * actions on all accounts that match a filter. `maxEntries`: confirmed number of these accounts.
 */
export interface AccountJobInput {
  action: AccountAction
  selection: { ids: string[] } | { filter: AccountJobFilter; maxEntries: number }
}
/**
 * Request for a job on many messages in the outbox. The page has let the person confirm
 * cancellations, and actions on all messages that match a filter. `maxEntries`: confirmed number of
 * these messages. Absent if the list does not count all of them.
 */
export interface OutboxJobInput {
  action: OutboxAction
  selection: { ids: string[] } | { filter: OutboxJobFilter; maxEntries?: number }
}

/** Calls that start and cancel bulk jobs. */
export const jobActions = {
  startOnAccounts: ({ action, selection }: AccountJobInput): Promise<Job> =>
    createAccountJob(calls.api, { body: { action, ...selection, confirm: true } }),
  startOnOutbox: ({ action, selection }: OutboxJobInput): Promise<Job> =>
    createOutboxJob(calls.api, { body: { action, ...selection, confirm: true } }),
  cancel: ({ target, job }: { target: JobTarget; job: string }): Promise<Job> =>
    target === 'accounts'
      ? cancelAccountJob(calls.api, { job })
      : cancelOutboxJob(calls.api, { job }),
}

/** Cache key of the lists of bulk jobs. */
export const jobsKey = ['jobs'] as const
/** Cache keys of the data that a bulk job changes, by the kind of its entries. */
export const changedKeys = { accounts: [accountsKey], outbox: [outboxKey] } as const

/**
 * Number of the newest bulk jobs that are loaded. At most 10 jobs are unfinished, but a long job
 * can be older than many jobs that have ended.
 */
const shownJobs = 100
/** Interval at which the progress of unfinished bulk jobs is loaded. */
const refreshMs = 2_000

/** Loads the newest jobs on accounts or on the outbox, with their progress. */
export function useJobs(target: JobTarget): Load<{ jobs: readonly Job[] }> {
  const list = (): Promise<{ jobs: readonly Job[] }> => {
    const page = { pageSize: shownJobs }
    return target === 'accounts'
      ? listAccountJobs(calls.api, page)
      : listOutboxJobs(calls.api, page)
  }
  return useLoad([...jobsKey, target], list, {
    everyMs: refreshMs,
    isFinal: ({ jobs }) => jobs.every((job) => !isUnfinished(job)),
  })
}

/** True if a bulk job has not ended and was not cancelled. */
export function isUnfinished({ state }: Pick<Job, 'state'>): boolean {
  return state === 'queued' || state === 'running'
}
