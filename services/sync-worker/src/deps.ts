import type { MailBackend } from '@posthorn/backends'
import type { Bus } from '@posthorn/bus'
import type { Db, MarkPublished, SettingsCache } from '@posthorn/db'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from './config.ts'
import type { ChangeBroadcaster } from './events/change-broadcaster.ts'
import type { Transcripts } from './logs/transcripts.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { AccountReader } from './sessions/accounts.ts'
import type { ConnectionCounts } from './sessions/connection-counts.ts'
import type { LoginLimiter } from './sessions/login-limiter.ts'
import type { ApplyStatusUpdate } from './sessions/account-status.ts'
import type { SyncTimes } from './sessions/sync-times.ts'
import type { Summaries } from './summaries/summaries.ts'
import type { IndexEmpty } from './sync/changes/empty-mailboxes.ts'

/** What the work on accounts needs. */
export interface Deps {
  db: Db
  bus: Bus
  /** This process as auth-bridge knows it. */
  worker: { id: string; proof: string }
  backend: MailBackend
  settings: SettingsCache
  openLogin: UnsealLogin
  logins: LoginLimiter
  connections: ConnectionCounts
  accounts: AccountReader
  applyStatusUpdate: ApplyStatusUpdate
  syncTimes: SyncTimes
  indexEmpty: IndexEmpty
  summaries: Summaries
  markPublished: MarkPublished
  changes: ChangeBroadcaster
  transcripts: Transcripts
  config: Config
  metrics: WorkerMetrics
  log: Logger
}
