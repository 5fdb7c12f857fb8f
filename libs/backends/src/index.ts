export type * from './backend.ts'
export { imapBackend } from './imap/backend.ts'
