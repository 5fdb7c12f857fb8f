export {
  type Cyrus,
  type CyrusAddress,
  toCyrusAddress,
  type CyrusOptions,
  startCyrus,
} from './cyrus/server.ts'
export {
  toDovecotAddress,
  type Dovecot,
  type DovecotAddress,
  type DovecotOptions,
  startDovecot,
} from './dovecot/server.ts'
export { deliver } from './mail-hub/lmtp.ts'
export type { ManagedServer } from './process/managed-server.ts'
export {
  type AcceptedMessage,
  listAcceptedMessages,
  type MailHub,
  type MailHubAddress,
  startMailHub,
} from './mail-hub/server.ts'
export { startOpenSmtpd } from './outgoing/opensmtpd.ts'
export {
  type OutgoingServer,
  type OutgoingAddress,
  toOutgoingAddress,
  type OutgoingServerOptions,
} from './outgoing/server.ts'
export { canChroot } from './outgoing/chroot.ts'
export { cacheDirectory, checkout, localDirectory } from './paths.ts'
export { freePort, freePortFrom, freePorts } from './process/ports.ts'
export { startPostfix } from './outgoing/postfix.ts'
export { type Postgres, type PostgresOptions, startPostgres } from './postgres/server.ts'
export { type Rabbit, type RabbitOptions, startRabbit } from './rabbitmq/server.ts'
export {
  closeConnections,
  dropVhost,
  listVhosts,
  createVhost,
  type RabbitAddress,
} from './rabbitmq/management-api.ts'
export {
  startTestServers,
  type TestServers,
  type TestServersOptions,
} from './system/test-servers.ts'
export {
  rolePassword,
  rolePasswords,
  roleUrl,
  serviceNames,
  type ServiceName,
} from './role-passwords.ts'
export { selfSigned, type SelfSignedCertificate } from './files/certificate.ts'
export { type Services, type ServicesOptions, startServices } from './system/services.ts'
export type { SystemPorts } from './system/servers.ts'
export { startSystem, type System, type SystemOptions } from './system/system.ts'
