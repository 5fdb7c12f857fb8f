export { freePort } from '@posthorn/local/process/ports'
export { selfSigned, type SelfSignedCertificate } from '@posthorn/local/files/certificate'
export { type Rabbit } from '@posthorn/local/rabbitmq/server'
export { slowTexts } from './adversarial-texts.ts'
export { blockedMs, fastestBlockedMs, fastestCpuMs } from './cpu-time.ts'
export { tapBroker } from './databases/broker-tap.ts'
export { countRowsRead } from './databases/count-rows-read.ts'
export { testPgbouncer, type TestPgbouncer } from './databases/pgbouncer.ts'
export { testDatabase, type TestDatabase } from './databases/postgres.ts'
export { startTestRabbit, testBus } from './databases/rabbitmq.ts'
export { startTestRedis } from './databases/redis.ts'
export { recordTestEvents } from './databases/record-events.ts'
export { tableBytes } from './databases/table-bytes.ts'
export {
  completeExport,
  copyExport,
  newSealingKeys,
  readExportKey,
  type TestExport,
  writeExport,
} from './databases/write-export.ts'
export { eventually } from './eventually.ts'
export { faultSize, isFullFaultRun } from './fault-size.ts'
export type { HostileMessage } from './hostile-mail/hostile-message.ts'
export { grownMessages } from './hostile-mail/grown.ts'
export { hostileMessages } from './hostile-mail/messages.ts'
export { hasBrowser, testBrowser, type TestBrowser } from './http/browser.ts'
export { type ChatServer, startChatServer } from './http/chat-server.ts'
export { startProxy, type TestProxy, type TestProxyOptions } from './http/proxy.ts'
export {
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookReceiver,
} from './http/webhook-receiver.ts'
export type { Hook, Reply, ScriptCommand } from './imap-script/command.ts'
export * as imapFaults from './imap-script/faults.ts'
export type { MailboxOptions } from './imap-script/mailbox.ts'
export {
  type ImapScript,
  type ImapScriptOptions,
  startImapScript,
  usualCapabilities,
} from './imap-script/server.ts'
export { testCyrus } from './mail-servers/cyrus.ts'
export {
  testDovecot,
  type TestDovecot,
  testOAuthDovecot,
  type TestUser,
} from './mail-servers/dovecot.ts'
export { testOpenSmtpd, type TestOutgoing, testPostfix } from './mail-servers/outgoing.ts'
export { testOpenIdProvider } from './openid/provider.ts'
export { isSwitchedOff } from './private-server.ts'
export { RawClient } from './raw-client.ts'
export { sealedHeaders, sealedLogin, unsealsHeaders, unsealsLogins } from './sealed-values.ts'
export { serviceProgram } from './service-program.ts'
export {
  rejectTimes,
  type SmtpBehaviour,
  type SmtpHook,
  type SmtpMoment,
  type SmtpRejection,
  type SmtpSession,
} from './smtp-script/contract.ts'
export * as smtpFaults from './smtp-script/faults.ts'
export {
  type SmtpScript,
  type SmtpScriptOptions,
  startSmtpScript,
  usualExtensions,
} from './smtp-script/server.ts'
export { applyChanges, assertSame, type ValueChanges } from './value-changes.ts'
export { type RelayTarget, TcpRelay } from './tcp-relay.ts'
export { timeoutsOnly } from './timeouts-only.ts'
