import type { Db } from '@posthorn/db'
import type { TaskGroup } from '@posthorn/flow'
import type { LinkKeys } from '@posthorn/links'
import type { Sandbox } from '@posthorn/sandbox'
import type { PublicKey, Sealer } from '@posthorn/secrets'
import type { Logger } from '@posthorn/telemetry'
import type { Renderer } from '@posthorn/templates'
import type { TokenCache } from '../access/tokens.ts'
import type { Autoconfig } from '../autoconfig/autoconfig.ts'
import type { ChangeStreams } from '../changes/change-streams.ts'
import type { EventStreams } from '../events/event-streams.ts'
import type { ExportDownloads } from '../exports/export-downloads.ts'
import type { ExportConfig } from '@posthorn/service/export-config'
import type { ResolveDeps } from '../composing/resolve-submission.ts'

/** Dependencies of all API operations. Each handler picks the dependencies that it needs. */
export interface OperationDeps extends ResolveDeps {
  /** Postgres pool for storing messages, which takes longer than other statements. */
  outbox: Db
  log: Logger
  tasks: TaskGroup
  sealer: Sealer
  /** Public key with which the sealer seals (encrypts) secrets. */
  sealingKey: PublicKey
  sandbox: Sandbox
  renderer: Renderer
  tokens: TokenCache
  links: LinkKeys
  changes: ChangeStreams
  events: EventStreams
  exports: ExportDownloads
  exportLimits: ExportConfig
  autoconfig: Autoconfig
  maxUploadBytes: number
  /** Duration of a test of a mail server that cannot be used, for callers without full rights. */
  unusableMs: number
  /**
   * If true, clients may read provider access tokens, whatever the setting `enableOAuthTokensApi`
   * is.
   */
  oauthTokensApi: boolean
  /** False if API requests without an access token are admitted. */
  requireApiAuth: boolean
  /** Number of log entries that are kept per access token. */
  tokenLogEntries: number
  version: string
  /** Age of a heartbeat after which a sync-worker counts as dead. */
  workerExpiryMs: number
}
