import type { ServiceName } from '@posthorn/contracts/services'

/**
 * Defaults of SVC_DATABASE_POOL_SIZE: maximum connections of one replica. Three replicas of every
 * service, as during a rolling update of two, and the jobs fit into the 100 default connections of
 * Postgres.
 */
export const poolSizes: Readonly<Record<ServiceName, number>> = {
  // api-gateway: a quarter of the connections stores messages, the other connections serve
  // requests.
  'api-gateway': 8,
  // sync-worker: commits of accounts are batched; commands and heartbeats run beside them. With 5
  // connections, first syncs of 1,000 accounts delayed heartbeats.
  'sync-worker': 7,
  // sender: claims, intent records and outcomes are batched, one statement of each kind at a time.
  sender: 4,
  // webhook-dispatcher: four partitions are fanned out concurrently, and results are recorded
  // beside them.
  'webhook-dispatcher': 5,
  // Connections of imap-proxy: logins read a few rows.
  'imap-proxy': 2,
  // smtp-proxy stores messages. A large message occupies a connection while it is transferred.
  'smtp-proxy': 2,
  // Connections of auth-bridge: it reads a few rows per credential.
  'auth-bridge': 2,
}
