export type * from './access.ts'
export { bytesOf } from './content.ts'
export {
  incompleteResponse,
  isMailApiError,
  MailApiError,
  type MailApiErrorOptions,
  type MailApiFailure,
} from './errors.ts'
export type * from './feeds.ts'
export type * from './folders.ts'
export {
  isApiId,
  maxBulkIds,
  maxCursorLength,
  maxGetIds,
  maxIdLength,
  maxPageTokenLength,
} from './ids.ts'
export type * from './mail-api.ts'
export type * from './messages.ts'
export type * from './reads.ts'
export * from './sending.ts'
export type { MessageContent, MessageSource } from '@posthorn/mime'
export type * from './watches.ts'
export type * from './writes.ts'
