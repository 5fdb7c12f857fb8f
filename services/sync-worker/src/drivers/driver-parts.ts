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

/** Parts of a worker that the drivers of all accounts of the worker share. */
export interface DriverParts {
  readonly commit: DriverCommitDeps
  readonly config: Config
  /** Id of this worker, and the secret that authenticates credential requests of the worker. */
  readonly worker: { id: string; proof: string }
  readonly connections: ConnectionCounter
  readonly reader: MessageReader
  readonly summaries: Summaries
  readonly transcripts: Pick<Transcripts, 'forConnection'>
  readonly unsealLogin: UnsealLogin
  readonly log: Logger
}

/** Counts the open connections of accounts. */
export interface ConnectionCounter {
  /** Adds a connection. Returns the function that removes the connection. */
  add(lease: AccountLease): () => void
}
