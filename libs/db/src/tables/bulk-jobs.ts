import type {
  AccountJobAction,
  AccountJobFilter,
  JobState,
  OutboxJobAction,
  OutboxJobFilter,
} from '@posthorn/contracts/schemas/job'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/**
 * Bulk jobs: actions on many accounts or submissions, which run in the background. Written by
 * api-gateway.
 */
export interface BulkJobs {
  id: string
  kind: 'accounts' | 'outbox'
  action: AccountJobAction | OutboxJobAction
  /**
   * Filter that selects the accounts or submissions of the bulk job. Null if the request contained
   * their ids.
   */
  filter: JsonOrNull<AccountJobFilter | OutboxJobFilter>
  /**
   * Maximum number of accounts or submissions that the filter of the bulk job may select. Null: no
   * maximum.
   */
  maxEntries: number | null
  /** New value of `accounts.logs`, for a bulk job with the action `logs` only. */
  logs: boolean | null
  state: Generated<JobState>
  /** Number of accounts or submissions of the bulk job. Null until the filter was evaluated. */
  total: number | null
  done: Generated<number>
  failed: Generated<number>
  skipped: Generated<number>
  createdAt: Generated<Date>
  startedAt: Date | null
  finishedAt: Date | null
  /** Id of the claim of the replica that runs the bulk job. Null while no replica runs the job. */
  claim: string | null
  /** End of the claim on the bulk job. Without a claim, the earliest time of the next claim. */
  leaseUntil: Date | null
}

/** Rows of bulk jobs: the selected accounts or submissions. Written by api-gateway. */
export interface BulkJobRows {
  job: string
  /**
   * Place of the account or submission in the order of the bulk job's actions. The first place is
   * 1.
   */
  position: number
  /** Id of the account or submission on which the bulk job acts. */
  rowId: string
  /**
   * State of the bulk job's action on an account or submission. `started`: a command was sent whose
   * result is not recorded; `skipped`: the filter did not match any more.
   */
  state: Generated<'waiting' | 'started' | 'done' | 'failed' | 'skipped'>
  errorCode: string | null
  error: string | null
}
