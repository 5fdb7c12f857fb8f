export { type Cyrus, type CyrusAddress, startCyrus } from './cyrus/server.ts'
export { type Dovecot, type DovecotAddress, startDovecot } from './dovecot/server.ts'
export { type Haproxy, startHaproxy } from './haproxy/server.ts'
export { deliver } from './mail-hub/lmtp.ts'
export {
  type AcceptedMessage,
  listAcceptedMessages,
  type MailHubAddress,
  startMailHub,
} from './mail-hub/server.ts'
export { startOpenSmtpd } from './outgoing/opensmtpd.ts'
export { startPostfix } from './outgoing/postfix.ts'
export {
  type OutgoingAddress,
  type OutgoingServer,
  type OutgoingServerOptions,
} from './outgoing/server.ts'
export { checkout } from './paths.ts'
export { type Pgbouncer, startPgbouncer } from './pgbouncer/server.ts'
export { type Postgres, startPostgres } from './postgres/server.ts'
export type { ManagedServer } from './process/managed-server.ts'
export { freePort } from './process/ports.ts'
export { listVhosts } from './rabbitmq/management-api.ts'
export { type Rabbit, startRabbit } from './rabbitmq/server.ts'
export { type Redis, startRedis } from './redis/server.ts'
export { startSystem, type System, type SystemOptions } from './system/system.ts'
export { systemVariables } from './system/system-variables.ts'
