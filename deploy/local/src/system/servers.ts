import { join } from 'node:path'
import { defined } from '@posthorn/contracts/defined'
import { type Dovecot, type DovecotAddress, startDovecot } from '../dovecot/server.ts'
import type { ManagedServer } from '../process/managed-server.ts'
import { type MailHub, startMailHub } from '../mail-hub/server.ts'
import { type Postgres, startPostgres } from '../postgres/server.ts'
import { type Rabbit, startRabbit } from '../rabbitmq/server.ts'
import type { SystemPorts } from './system-ports.ts'

export interface SystemServersOptions {
  /** Directory of the ports, secrets, logs and server data of a local system. */
  dir: string
  /** Directory of downloaded Debian packages. Other systems of `make up` and tests share it. */
  cache: string
  /** True if commits to Postgres survive a power loss. Defaults to false. */
  durable?: boolean
  /**
   * Environment variables that may name running servers, which the system then uses:
   * DATABASE_OWNER_URL or DATABASE_URL (with the owner's login), AMQP_URL, POSTHORN_DOVECOT (JSON,
   * or `off`). Addresses from the file that `make up` writes are ignored. SVC_ and OTEL_ variables
   * are passed to the services, except keys and passwords, which are generated here.
   */
  env?: Readonly<Record<string, string | undefined>>
  /**
   * Fixed ports of the local system, by use. Default: the ports of the last start, or free ports.
   */
  ports?: Partial<SystemPorts>
  /**
   * File to which the processes of the servers are recorded. If the file is given, the servers
   * outlive this process.
   */
  record?: string | undefined
}

/**
 * Servers of a local system: Postgres, RabbitMQ and mail server. A server whose address was
 * configured has no `postgres`, `rabbit` or `dovecot` object and is not stopped.
 */
export interface SystemServers {
  /** URL of the local system's database, with the login of the database's owner. */
  ownerUrl: string
  amqpUrl: string
  /** True if each service of the local system has its own RabbitMQ user. */
  amqpUsers?: boolean
  mail?: DovecotAddress
  postgres?: Postgres
  rabbit?: Rabbit
  dovecot?: Dovecot
  hub?: MailHub
}

/**
 * Starts the servers of a local system concurrently, except servers whose address is configured. If
 * a server fails to start, all other servers are stopped.
 */
export async function startSystemServers(input: SystemServersOptions): Promise<SystemServers> {
  // Environment variables from posthorn.env, which `make up` writes, are ignored. Such variables
  // name the servers of the local system that runs already, and are meant for clients, not for a
  // second system.
  const options = input.env?.['POSTHORN_ENV_FILE'] ? { ...input, env: {} } : input
  const parts = await Promise.allSettled([database(options), broker(options), mail(options)])
  const servers = Object.assign(
    {},
    ...parts.map((part) => (part.status === 'fulfilled' ? part.value : {})),
  ) as SystemServers
  const failed = parts.find((part) => part.status === 'rejected')
  if (failed) {
    await stopSystemServers(servers)
    throw failed.reason
  }
  return servers
}

export async function stopSystemServers(servers: Partial<SystemServers>): Promise<void> {
  await Promise.all(handles(servers).map((server) => server.stop()))
}

function handles({ postgres, rabbit, dovecot, hub }: Partial<SystemServers>): ManagedServer[] {
  return [postgres, rabbit, dovecot, hub].filter((server) => server !== undefined)
}

type ServerPart = Partial<SystemServers>

async function database({
  dir,
  env = {},
  durable = false,
  ports = {},
  record,
}: SystemServersOptions): Promise<ServerPart> {
  const address = env['DATABASE_OWNER_URL'] || env['DATABASE_URL']
  if (address) return { ownerUrl: address }
  const postgres = await startPostgres({
    dir: join(dir, 'postgres'),
    durable,
    record,
    ...defined({ port: ports.postgres }),
  })
  return { postgres, ownerUrl: await postgres.database('posthorn') }
}

async function broker({
  dir,
  cache,
  env = {},
  ports = {},
  record,
}: SystemServersOptions): Promise<ServerPart> {
  const address = env['AMQP_URL']
  if (address) return { amqpUrl: address }
  const rabbit = await startRabbit({
    dir: join(dir, 'rabbitmq'),
    cache,
    record,
    ports: defined({
      port: ports.rabbitmq,
      distribution: ports.rabbitmqDistribution,
      epmd: ports.rabbitmqEpmd,
      management: ports.rabbitmqManagement,
    }),
  })
  const amqpUrl = await rabbit.vhost('posthorn')
  await rabbit.grantServices('posthorn')
  return { rabbit, amqpUrl, amqpUsers: true }
}

async function mail({
  dir,
  cache,
  env = {},
  ports = {},
  record,
}: SystemServersOptions): Promise<ServerPart> {
  const address = env['POSTHORN_DOVECOT']
  if (address === 'off') return {}
  if (address) return { mail: JSON.parse(address) as DovecotAddress }
  const dovecot = await startDovecot({
    dir: join(dir, 'dovecot'),
    cache,
    ports: defined({
      imap: ports.dovecotImap,
      imaps: ports.dovecotImaps,
      submission: ports.dovecotSubmission,
      lmtp: ports.dovecotLmtp,
      relay: ports.dovecotRelay,
    }),
    record,
  })
  const hub = await startMailHub({
    dir: join(dir, 'mail-hub'),
    port: dovecot.relayPort,
    lmtpPort: dovecot.lmtpPort,
    controlPort: ports.mailHubControl,
    record,
  })
  return { dovecot, hub, mail: dovecot.address }
}
