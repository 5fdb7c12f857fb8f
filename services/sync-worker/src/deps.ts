import type { MailBackend } from '@posthorn/backends'
import type { Bus } from '@posthorn/bus'
import type { Db, MarkPublished, SettingsCache } from '@posthorn/db'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from './config.ts'
import type { ChangeTeller } from './events/tell-changes.ts'
import type { Transcripts } from './logs/transcripts.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { AccountReader } from './sessions/accounts.ts'
import type { ConnectionCounts } from './sessions/connection-counts.ts'
import type { LoginTurns } from './sessions/login-turns.ts'
import type { Standings } from './sessions/standings.ts'
import type { SyncTimes } from './sessions/sync-times.ts'
import type { Summaries } from './summaries/summaries.ts'
import type { FillEmpty } from './sync/empty.ts'

/** What the work on accounts needs. */
export interface Deps {
  db: Db
  bus: Bus
  /** This process as auth-bridge knows it. */
  worker: { id: string; proof: string }
  backend: MailBackend
  settings: SettingsCache
  openLogin: UnsealLogin
  logins: LoginTurns
  connections: ConnectionCounts
  accounts: AccountReader
  standings: Standings
  syncTimes: SyncTimes
  fillEmpty: FillEmpty
  summaries: Summaries
  published: MarkPublished
  changes: ChangeTeller
  transcripts: Transcripts
  config: Config
  metrics: WorkerMetrics
  log: Logger
}
