export { eventually, type Patience } from './eventually.ts'
export { freePort } from '@posthorn/local/ports'
export { selfSigned, type SelfSigned } from '@posthorn/local/self-signed'
export {
  type ChatRequest,
  type ChatServer,
  type ChatServerOptions,
  startChatServer,
} from './servers/chat-server.ts'
export { opensHeaders, opensLogins, sealedHeaders, sealedLogin } from './sealed-in-place.ts'
export { hasBrowser, testBrowser, type TestBrowser } from './servers/browser.ts'
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
export { testOAuthDovecot, type TestOAuthDovecot } from './servers/oauth-dovecot.ts'
export { testOpenIdProvider, type TestOpenIdProvider } from './servers/openid-provider.ts'
export {
  hasOpenSmtpd,
  hasPostfix,
  testOpenSmtpd,
  type TestOutgoing,
  testPostfix,
} from './servers/outgoing.ts'
export { migratedDatabase, type Role, testDatabase, type TestDatabase } from './servers/postgres.ts'
export {
  type ProxyRequest,
  startProxy,
  type TestProxy,
  type TestProxyOptions,
} from './servers/proxy.ts'
export { testBus, type TestBus } from './servers/rabbitmq.ts'
export {
  type AfterData,
  refuseTimes,
  type SmtpBehaviour,
  type SmtpLogin,
  type SmtpRefusal,
} from './servers/smtp-script/behaviour.ts'
export type { SmtpCommand, SmtpHook, SmtpMoment, SmtpReply } from './servers/smtp-script/command.ts'
export * as smtpFaults from './servers/smtp-script/faults.ts'
export type { SmtpMessage } from './servers/smtp-script/message.ts'
export type { SmtpSession } from './servers/smtp-script/session.ts'
export {
  type SmtpScript,
  type SmtpScriptOptions,
  startSmtpScript,
  usualExtensions,
} from './smtp-script.ts'
export {
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookAnswer,
  type WebhookReceiver,
} from './webhook-receiver.ts'
export { type EventsTarget, recordTestEvents } from './record-events.ts'
export { type BrokerTap, tapBroker } from './tap-broker.ts'
export { tableBytes } from './table-bytes.ts'
export { RawClient } from './raw-client.ts'
