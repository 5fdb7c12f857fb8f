import type { ServiceName } from '@posthorn/contracts/services'

/**
 * Default values of SVC_DATABASE_POOL_SIZE: the maximum number of Postgres connections per replica.
 * During a rolling update of two replicas there are three replicas of every service, except
 * admin-ui, whose replicas are replaced one after the other. These replicas need at most 100
 * connections, which is the default limit of Postgres. Two replicas of every service and the jobs,
 * which do not run during an update, need at most 100 connections, too.
 */
export const poolSizes: Readonly<Record<ServiceName, number>> = {
  // api-gateway stores messages with a quarter of its Postgres connections and serves requests with
  // the other connections.
  'api-gateway': 8,
  // sync-worker commits the changes of several accounts together. Commands and heartbeats need
  // connections at the same time. With 5 connections, initial syncs of 1,000 accounts delayed
  // heartbeats.
  'sync-worker': 7,
  // sender combines changes of several submissions in one SQL statement: leases of due submissions,
  // intent records that precede the end of the SMTP data, and results. Only one statement of each
  // kind runs at a time.
  sender: 4,
  // webhook-dispatcher creates the webhook deliveries for events of four partitions (groups of
  // accounts) concurrently and records results at the same time.
  'webhook-dispatcher': 5,
  // imap-proxy reads only a few database rows per login, so a small pool is sufficient.
  'imap-proxy': 2,
  // smtp-proxy stores messages. A large message occupies a Postgres connection until it has been
  // transferred.
  'smtp-proxy': 2,
  // auth-bridge reads only a few database rows per request for a credential, so a small pool is
  // sufficient.
  'auth-bridge': 2,
  // admin-ui serves a few people. An idle replica keeps one connection.
  'admin-ui': 2,
}
