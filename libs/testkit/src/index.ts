export { eventually, type Patience } from './eventually.ts'
export { selfSigned, type SelfSigned } from '@posthorn/local/self-signed'
export { hasCyrus, testCyrus, type TestCyrus, type TestCyrusUser } from './servers/cyrus.ts'
export { testDovecot, type TestDovecot, type TestUser } from './servers/dovecot.ts'
export {
  type ImapScript,
  type ImapScriptOptions,
  startImapScript,
  usualCapabilities,
} from './servers/imap-script.ts'
export type { Hook, Reply, ScriptCommand } from './servers/imap-script/command.ts'
export * as imapFaults from './servers/imap-script/faults.ts'
export type { MailboxOptions, ScriptMailbox } from './servers/imap-script/mailbox.ts'
export type { ScriptSession } from './servers/imap-script/session.ts'
export {
  hasOpenSmtpd,
  hasPostfix,
  testOpenSmtpd,
  type TestOutgoing,
  testPostfix,
} from './servers/outgoing.ts'
export { migratedDatabase, type Role, testDatabase, type TestDatabase } from './servers/postgres.ts'
export { testBus, type TestBus } from './servers/rabbitmq.ts'
export {
  type AfterData,
  refuseTimes,
  type SmtpBehaviour,
  type SmtpLogin,
  type SmtpMessage,
  type SmtpRefusal,
  type SmtpScript,
  type SmtpScriptOptions,
  startSmtpScript,
} from './smtp-script.ts'
export {
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookAnswer,
  type WebhookReceiver,
} from './webhook-receiver.ts'
export { type EventsTarget, recordTestEvents } from './record-events.ts'
export { tableBytes } from './table-bytes.ts'
