export {
  addressAllowed,
  findUsableToken,
  listTokens,
  markTokenUsed,
  refusalOf,
  type TokenRefusal,
  type TokenRow,
  type TokenUse,
  type TokenVerdict,
  type UsableToken,
} from './access.ts'
export { builtOnce } from './built-once.ts'
export { assertCanSend, type Sending } from './can-send.ts'
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
export { type Batches, inBatches } from './in-batches.ts'
export { listMigrations, migrate, type MigrateOptions } from './migrate.ts'
export { isQueuePaused } from './paused-queues.ts'
export { newQueueId } from './queue-id.ts'
export { ping, schemaIsReady } from './schema.ts'
export { findSealedSettingRevision } from './sealed-setting-revision.ts'
export { cacheSettings, readSettings, type SettingsCache } from './settings.ts'
export {
  keepTokenLog,
  noteAtDoor,
  type TokenLog,
  type TokenLogNote,
  type TokenLogOptions,
} from './token-log.ts'
export { type Counted, countRequest, countRequests, type Window } from './token-windows.ts'
export type * from './tables/index.ts'
