import type {
  AccountChanges,
  AccountChangesHorizon,
  AccountLogs,
  Accounts,
  AccountStates,
  Credentials,
} from './accounts.ts'
import type {
  AdminAttempts,
  AdminAudit,
  AdminChallenges,
  AdminLinks,
  AdminPasskeys,
  AdminPeople,
  AdminSessions,
} from './admin.ts'
import type {
  ApiFeeds,
  ApiLeaves,
  ApiMailboxes,
  ApiPending,
  ApiWatches,
  PubsubStates,
} from './api-feeds.ts'
import type { Bounces } from './bounces.ts'
import type { BulkJobRows, BulkJobs } from './bulk-jobs.ts'
import type { AccountEventCounts, OAuth2AppUses, StatCounters } from './counters.ts'
import type { EventIds, Events } from './events.ts'
import type { ExportChunks, ExportIndex, Exports } from './exports.ts'
import type { FormLinks } from './form-links.ts'
import type { GatewayCredentials, Gateways, GatewayStates } from './gateways.ts'
import type { AccountListBlocks, Lists, ListTurns } from './lists.ts'
import type { MailProxies } from './mail-proxies.ts'
import type { AnnouncedMessages, MailboxChunks, Mailboxes } from './mailboxes.ts'
import type {
  OAuth2Apps,
  OAuth2AppSecrets,
  OAuth2AppStates,
  OAuth2ConsentErrors,
  OAuth2Logins,
  OAuth2Tokens,
} from './oauth2.ts'
import type { IdempotencyKeys, Outbox, PausedQueues } from './outbox.ts'
import type { DraftCleanups, Senders, SendingLocks, SendingReserves } from './sending.ts'
import type { SealedSettings, SettingsTable } from './settings.ts'
import type { Shards, Workers } from './shards.ts'
import type { Templates } from './templates.ts'
import type { DeletedTokenImports, TokenLogTable, Tokens, TokenWindows } from './tokens.ts'
import type { UploadDrafts, Uploads } from './uploads.ts'
import type { Deliveries, WebhookAttempts, WebhookReplays } from './webhooks.ts'
import type {
  WebhookRouteCounts,
  WebhookRouteErrors,
  WebhookRoutes,
  WebhookRoutesStamp,
  WebhookRouteStates,
} from './webhook-routes.ts'

/** All tables of the database. Names are in snake_case in SQL and in camelCase in TypeScript. */
export interface Tables {
  accountChanges: AccountChanges
  accountChangesHorizon: AccountChangesHorizon
  accountEventCounts: AccountEventCounts
  accountListBlocks: AccountListBlocks
  accountLogs: AccountLogs
  accounts: Accounts
  accountStates: AccountStates
  adminAttempts: AdminAttempts
  adminAudit: AdminAudit
  adminChallenges: AdminChallenges
  adminLinks: AdminLinks
  adminPasskeys: AdminPasskeys
  adminPeople: AdminPeople
  adminSessions: AdminSessions
  announcedMessages: AnnouncedMessages
  apiFeeds: ApiFeeds
  apiLeaves: ApiLeaves
  apiMailboxes: ApiMailboxes
  apiPending: ApiPending
  apiWatches: ApiWatches
  bounces: Bounces
  bulkJobRows: BulkJobRows
  bulkJobs: BulkJobs
  credentials: Credentials
  deliveries: Deliveries
  draftCleanups: DraftCleanups
  eventIds: EventIds
  events: Events
  exportChunks: ExportChunks
  exportIndex: ExportIndex
  exports: Exports
  formLinks: FormLinks
  gatewayCredentials: GatewayCredentials
  gateways: Gateways
  gatewayStates: GatewayStates
  idempotencyKeys: IdempotencyKeys
  lists: Lists
  listTurns: ListTurns
  mailboxChunks: MailboxChunks
  mailboxes: Mailboxes
  mailProxies: MailProxies
  oauth2Apps: OAuth2Apps
  oauth2AppSecrets: OAuth2AppSecrets
  oauth2AppStates: OAuth2AppStates
  oauth2AppUses: OAuth2AppUses
  oauth2ConsentErrors: OAuth2ConsentErrors
  oauth2Logins: OAuth2Logins
  oauth2Tokens: OAuth2Tokens
  outbox: Outbox
  pausedQueues: PausedQueues
  pubsubStates: PubsubStates
  sealedSettings: SealedSettings
  senders: Senders
  sendingLocks: SendingLocks
  sendingReserves: SendingReserves
  settings: SettingsTable
  shards: Shards
  statCounters: StatCounters
  templates: Templates
  tokenLog: TokenLogTable
  tokenWindows: TokenWindows
  tokens: Tokens
  deletedTokenImports: DeletedTokenImports
  uploadDrafts: UploadDrafts
  uploads: Uploads
  webhookAttempts: WebhookAttempts
  webhookReplays: WebhookReplays
  webhookRouteCounts: WebhookRouteCounts
  webhookRouteErrors: WebhookRouteErrors
  webhookRouteStates: WebhookRouteStates
  webhookRoutes: WebhookRoutes
  webhookRoutesStamp: WebhookRoutesStamp
  workers: Workers
}
export type * from './accounts.ts'
export type * from './admin.ts'
export type * from './api-feeds.ts'
export type * from './bounces.ts'
export type * from './bulk-jobs.ts'
export type * from './counters.ts'
export type * from './events.ts'
export type * from './form-links.ts'
export type * from './exports.ts'
export type * from './gateways.ts'
export type * from './lists.ts'
export type * from './mail-proxies.ts'
export type * from './mailboxes.ts'
export type * from './oauth2.ts'
export type * from './outbox.ts'
export type * from './sending.ts'
export type * from './settings.ts'
export type * from './shards.ts'
export type * from './templates.ts'
export type * from './tokens.ts'
export type * from './uploads.ts'
export type * from './webhooks.ts'
export type * from './webhook-routes.ts'
