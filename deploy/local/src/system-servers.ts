import { join } from 'node:path'
import { addressOf, type Dovecot, type DovecotAddress, startDovecot } from './dovecot.ts'
import type { Life } from './life.ts'
import { type MailHub, startMailHub } from './mail-hub.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { type Rabbit, startRabbit } from './rabbitmq.ts'
import type { SystemOptions } from './system.ts'

/** What a system leans on. Servers that were given by address have no handle: they are not ours to stop. */
export interface SystemServers {
  /** The database, as its owner. */
  ownerUrl: string
  amqpUrl: string
  /** Each service has a user of its own there. */
  amqpUsers?: boolean
  mail?: DovecotAddress
  postgres?: Postgres
  rabbit?: Rabbit
  dovecot?: Dovecot
  hub?: MailHub
}

/** Starts what no address was given for, side by side. If one fails the others are stopped. */
export async function startSystemServers(given: SystemOptions): Promise<SystemServers> {
  // A shell that has read posthorn.env names the servers that `make up` started: they are for programs, not for another system.
  const options = given.env?.['POSTHORN_ENV_FILE'] ? { ...given, env: {} } : given
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

function handles({ postgres, rabbit, dovecot, hub }: Partial<SystemServers>): Life[] {
  return [postgres, rabbit, dovecot, hub].filter((server) => server !== undefined)
}

type Part = Partial<SystemServers>

async function database({
  dir,
  env = {},
  durable = false,
  ports = {},
  record,
}: SystemOptions): Promise<Part> {
  const given = env['DATABASE_OWNER_URL'] || env['DATABASE_URL']
  if (given) return { ownerUrl: given }
  const postgres = await startPostgres({
    dir: join(dir, 'postgres'),
    durable,
    record,
    ...port(ports.postgres),
  })
  return { postgres, ownerUrl: await postgres.database('posthorn') }
}

async function broker({ dir, cache, env = {}, ports = {}, record }: SystemOptions): Promise<Part> {
  const given = env['AMQP_URL']
  if (given) return { amqpUrl: given }
  const rabbit = await startRabbit({
    dir: join(dir, 'rabbitmq'),
    cache,
    record,
    ...port(ports.rabbitmq),
  })
  const amqpUrl = await rabbit.vhost('posthorn')
  await rabbit.letServicesIn('posthorn')
  return { rabbit, amqpUrl, amqpUsers: true }
}

async function mail({ dir, cache, env = {}, ports = {}, record }: SystemOptions): Promise<Part> {
  const given = env['POSTHORN_DOVECOT']
  if (given === 'off') return {}
  if (given) return { mail: JSON.parse(given) as DovecotAddress }
  const { dovecotImap: imap, dovecotImaps: imaps, dovecotSubmission: submission } = ports
  const wanted = Object.fromEntries(
    Object.entries({ imap, imaps, submission }).filter(([, value]) => value !== undefined),
  )
  const dovecot = await startDovecot({
    dir: join(dir, 'dovecot'),
    cache,
    ports: wanted,
    record,
  })
  const hub = await startMailHub({
    dir: join(dir, 'mail-hub'),
    port: dovecot.relayPort,
    lmtpPort: dovecot.lmtpPort,
    record,
  })
  return { dovecot, hub, mail: addressOf(dovecot) }
}

function port(wanted: number | undefined): { port?: number } {
  return wanted === undefined ? {} : { port: wanted }
}
