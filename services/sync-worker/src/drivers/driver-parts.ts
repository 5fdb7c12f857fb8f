import type { Bus } from '@posthorn/bus'
import type { SettingsCache } from '@posthorn/db'
import type { MessageReader } from '@posthorn/message-reader'
import type { Logger } from '@posthorn/telemetry'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Config } from '../config.ts'
import type { CommitDeps } from '../events/commit.ts'
import type { Transcripts } from '../logs/transcripts.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { AccountLease } from '../store/lease.ts'
import type { Summaries } from '../summaries/summaries.ts'

/** Dependencies of transactions that write data of accounts, with all metrics. */
export interface DriverCommitDeps extends CommitDeps {
  readonly bus: Bus
  readonly settings: SettingsCache
  readonly metrics: WorkerMetrics
}

/** Objects that the drivers of all accounts of a worker share. */
export interface DriverParts {
  readonly commit: DriverCommitDeps
  readonly config: Config
  /** Id of this worker, and the secret that authenticates it in requests for credentials. */
  readonly worker: { id: string; proof: string }
  readonly connections: ConnectionCounter
  readonly reader: MessageReader
  readonly summaries: Summaries
  readonly transcripts: Pick<Transcripts, 'forConnection'>
  readonly unsealLogin: UnsealLogin
  readonly log: Logger
}

/** Counter of the open IMAP connections of each account. */
export interface ConnectionCounter {
  /**
   * Counts an IMAP connection of an account. The returned function removes the connection again.
   */
  add(lease: AccountLease): () => void
}
