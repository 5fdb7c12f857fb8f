export type * from './mail-session.ts'
export { imapBackend } from './imap/backend.ts'
export { expectedSections } from './imap/messages/expected-sections.ts'
export { MessageFaults } from './message-faults.ts'
