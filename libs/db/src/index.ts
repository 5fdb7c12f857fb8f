export { compileOnce } from './compile-once.ts'
export { assertCanSend, type SendPrerequisites } from './can-send.ts'
export { connect, type ConnectOptions, type Db, type Tx } from './connect.ts'
export {
  addCounts,
  countMinutes,
  type CountMinutesOptions,
  type MinuteCounter,
} from './counters.ts'
export { deriveEventId } from './events/event-id.ts'
export {
  markPublished,
  type MarkPublished,
  maxMessageBytes,
  publishEvents,
  type PublishEvent,
  toMessage,
} from './events/publish.ts'
export { type NewEvent, recordEvents, type RecordedEvent } from './events/record.ts'
export { type BatchOptions, batchStatements } from './batch-statements.ts'
export { listMigrations, migrate, type MigrateOptions } from './migrate.ts'
export { isQueuePaused } from './paused-queues.ts'
export { newQueueId } from './queue-id.ts'
export {
  type Page,
  pageCounts,
  type PageCounts,
  type PageRequest,
  readPage,
  readRows,
} from './read-page.ts'
export { ping, schemaIsReady } from './schema.ts'
export { findSealedSettingRevision } from './sealed-setting-revision.ts'
export { cacheSettings, readSettings, type SettingsCache } from './settings.ts'
export { isDataError, sqlState } from './sql-state.ts'
export type * from './tables/index.ts'
