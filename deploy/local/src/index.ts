export {
  type Cyrus,
  type CyrusAddress,
  cyrusAddressOf,
  type CyrusOptions,
  startCyrus,
} from './cyrus.ts'
export {
  addressOf,
  deliver,
  type Dovecot,
  type DovecotAddress,
  type DovecotOptions,
  startDovecot,
} from './dovecot.ts'
export type { Life } from './life.ts'
export {
  type Accepted,
  listAccepted,
  type MailHub,
  type MailHubAddress,
  startMailHub,
} from './mail-hub.ts'
export { startOpenSmtpd } from './opensmtpd.ts'
export {
  type Outgoing,
  type OutgoingAddress,
  outgoingAddressOf,
  type OutgoingOptions,
} from './outgoing.ts'
export { canChangeRoot } from './own-root.ts'
export { cacheFolder, checkout, localFolder } from './paths.ts'
export { freePort, freePortFrom, freePorts } from './ports.ts'
export { startPostfix } from './postfix.ts'
export { type Postgres, type PostgresOptions, startPostgres } from './postgres.ts'
export { type Rabbit, type RabbitOptions, startRabbit } from './rabbitmq.ts'
export {
  closeConnections,
  dropVhost,
  listVhosts,
  makeVhost,
  type RabbitAddress,
} from './rabbitmq-api.ts'
export { startTestServers, type TestServers, type TestServersOptions } from './test-servers.ts'
export {
  rolePassword,
  rolePasswords,
  roleUrl,
  serviceNames,
  type ServiceName,
} from './role-passwords.ts'
export { selfSigned, type SelfSigned } from './self-signed.ts'
export { type Services, type ServicesOptions, startServices } from './services.ts'
export { startSystem, type System, type SystemOptions, type SystemPorts } from './system.ts'
