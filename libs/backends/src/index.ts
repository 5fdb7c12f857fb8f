export type * from './mail-session.ts'
export { imapBackend } from './imap/backend.ts'
export { MessageFaults } from './message-faults.ts'
