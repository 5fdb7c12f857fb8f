export { compileOnce } from './compile-once.ts'
export { assertCanSend, type SendPrerequisites } from './can-send.ts'
export { isNotifiedByTopic, notifiedAccountsOf } from './notified-accounts.ts'
export { hasMailbox, isSendOnly, type MailboxColumns } from './has-mailbox.ts'
export { asUnavailable } from './unavailable.ts'
export { connect, type Db, ping, type PooledDb, type Tx } from './connect.ts'
export { type AppUse, type AppUseCounter, countAppUse } from './app-uses.ts'
export { addCounts, countMinutes, type MinuteCounter } from './counters.ts'
export { dueLanes } from './due-lanes.ts'
export { type DueRow, DueRows, inMs } from './due-rows.ts'
export { deriveEventId } from './events/event-id.ts'
export { measureJson } from './events/json-size.ts'
export { limitEventData, limitJson } from './events/limit-data.ts'
export {
  type EventRow,
  markPublished,
  type MarkPublished,
  maxMessageBytes,
  type PublishableEvent,
  publishEvents,
  type PublishEvent,
} from './events/publish.ts'
export { type NewEvent, recordEvents, type RecordedEvent } from './events/record.ts'
export { appendExportChunk, type NewExportChunk } from './exports/append-chunk.ts'
export { endExport, type EndOptions, type ExportEnd } from './exports/end-export.ts'
export { batchStatements } from './batch-statements.ts'
export { compareSchema, migrate, type SchemaDifference, schemaIsReady } from './migrate/migrate.ts'
export {
  mailProxyExpiryMs,
  type MailProxyReport,
  removeLostMailProxies,
  removeMailProxy,
  reportMailProxy,
} from './mail-proxies.ts'
export { isQueuePaused } from './paused-queues.ts'
export { isSentByApi, sendsByApi } from './sends-by-api.ts'
export { newQueueId } from './queue-id.ts'
export { type Page, pageCounts, type PageRequest, readPage, readRows } from './read-page.ts'
export { type ProxyChangeType, recordProxyState } from './record-proxy-state.ts'
export {
  cacheSettings,
  findSealedSettingRevision,
  readSettings,
  type SettingsCache,
} from './settings.ts'
export { roleHasTimeout, statementTimeoutMs } from './role-timeouts.ts'
export { isDataError, sqlState } from './sql-state.ts'
export type * from './tables/index.ts'
export { textArray } from './text-array.ts'
