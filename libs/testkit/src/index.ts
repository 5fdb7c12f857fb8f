export { eventually, type EventuallyOptions } from './eventually.ts'
export { freePort } from '@posthorn/local/process/ports'
export { selfSigned, type SelfSignedCertificate } from '@posthorn/local/files/certificate'
export {
  type ChatRequest,
  type ChatServer,
  type ChatServerOptions,
  startChatServer,
} from './http/chat-server.ts'
export { unsealsHeaders, unsealsLogins, sealedHeaders, sealedLogin } from './sealed-values.ts'
export { hasBrowser, testBrowser, type TestBrowser } from './http/browser.ts'
export { hasCyrus, testCyrus, type TestCyrus, type TestCyrusUser } from './mail-servers/cyrus.ts'
export { testDovecot, type TestDovecot, type TestUser } from './mail-servers/dovecot.ts'
export {
  type ImapScript,
  type ImapScriptOptions,
  startImapScript,
  usualCapabilities,
} from './imap-script/server.ts'
export type { Hook, Reply, ScriptCommand } from './imap-script/command.ts'
export * as imapFaults from './imap-script/faults.ts'
export type { MailboxOptions, ScriptMailbox } from './imap-script/mailbox.ts'
export type { ScriptSession } from './imap-script/session.ts'
export { testOAuthDovecot, type TestOAuthDovecot } from './mail-servers/oauth-dovecot.ts'
export { testOpenIdProvider, type TestOpenIdProvider } from './openid/provider.ts'
export {
  hasOpenSmtpd,
  hasPostfix,
  testOpenSmtpd,
  type TestOutgoing,
  testPostfix,
} from './mail-servers/outgoing.ts'
export {
  migratedDatabase,
  type Role,
  testDatabase,
  type TestDatabase,
} from './databases/postgres.ts'
export {
  type ProxyRequest,
  startProxy,
  type TestProxy,
  type TestProxyOptions,
} from './http/proxy.ts'
export { type Rabbit, startTestRabbit, testBus, type TestBus } from './databases/rabbitmq.ts'
export {
  type AfterData,
  rejectTimes,
  type SmtpBehaviour,
  type SmtpCommand,
  type SmtpHook,
  type SmtpLogin,
  type SmtpMessage,
  type SmtpMoment,
  type SmtpRejection,
  type SmtpReply,
  type SmtpSession,
} from './smtp-script/contract.ts'
export * as smtpFaults from './smtp-script/faults.ts'
export {
  type SmtpScript,
  type SmtpScriptOptions,
  startSmtpScript,
  usualExtensions,
} from './smtp-script/server.ts'
export {
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookReply,
  type WebhookReceiver,
} from './http/webhook-receiver.ts'
export { type EventsTarget, recordTestEvents } from './databases/record-events.ts'
export { type BrokerTap, tapBroker } from './databases/broker-tap.ts'
export { tableBytes } from './databases/table-bytes.ts'
export { RawClient } from './raw-client.ts'
