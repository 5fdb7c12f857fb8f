import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { toCyrusAddress, startCyrus } from '../cyrus/server.ts'
import { toDovecotAddress, type DovecotAddress, startDovecot } from '../dovecot/server.ts'
import type { ManagedServer } from '../process/managed-server.ts'
import { startMailHub } from '../mail-hub/server.ts'
import { startOpenSmtpd } from '../outgoing/opensmtpd.ts'
import {
  type OutgoingServer,
  toOutgoingAddress,
  type OutgoingServerOptions,
} from '../outgoing/server.ts'
import { canChroot } from '../outgoing/chroot.ts'
import { startPostfix } from '../outgoing/postfix.ts'
import { startPostgres } from '../postgres/server.ts'
import { startRabbit } from '../rabbitmq/server.ts'

export interface TestServersOptions {
  /** A folder for everything of theirs; removed when they stop. */
  dir: string
  /** Where fetched packages are kept, for all to share. */
  cache: string
  /** Where addresses of servers that run already are looked for: those are used, and not started. */
  env?: Readonly<Record<string, string | undefined>>
  /** Where to note its process; it then goes on when we end. */
  record?: string | undefined
}

export interface TestServers {
  /** What tests read: TEST_POSTGRES_URL, TEST_AMQP_URL, TEST_AMQP_API, TEST_DOVECOT, TEST_MAIL_HUB, TEST_CYRUS, TEST_POSTFIX and TEST_OPENSMTPD (JSON). */
  env: Record<string, string>
  servers: readonly ManagedServer[]
  stop(): Promise<void>
}

type Part = { env: Record<string, string>; servers: ManagedServer[] }

/**
 * Postgres, RabbitMQ, Dovecot with a mail hub, Cyrus, Postfix and OpenSMTPD, side by side; about five seconds, once packages have been fetched.
 *
 * Postfix and OpenSMTPD need root: without it they are `off`.
 */
export async function startTestServers({
  dir,
  cache,
  env = {},
  record,
}: TestServersOptions): Promise<TestServers> {
  const options = (name: string) => ({ dir: join(dir, name), cache, record })
  const given = (names: string[]) =>
    names.every((name) => env[name])
      ? { env: Object.fromEntries(names.map((name) => [name, env[name] ?? ''])), servers: [] }
      : undefined
  const mailboxes = given(['TEST_DOVECOT', 'TEST_MAIL_HUB']) ?? mail(options('dovecot'))
  const outgoing = async (variable: string, start: StartOutgoing): Promise<Part> =>
    given([variable]) ?? (await startOutgoing(start, { variable, options, mail: await mailboxes }))
  const parts = await Promise.allSettled([
    given(['TEST_POSTGRES_URL']) ?? postgres(options('postgres')),
    given(['TEST_AMQP_URL', 'TEST_AMQP_API']) ?? rabbit(options('rabbitmq')),
    mailboxes,
    given(['TEST_CYRUS']) ?? cyrus(options('cyrus')),
    outgoing('TEST_POSTFIX', startPostfix),
    outgoing('TEST_OPENSMTPD', startOpenSmtpd),
  ])
  const started = parts.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []))
  const servers = started.flatMap((part) => part.servers)
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await rm(dir, { recursive: true, force: true })
  }
  for (const part of parts) {
    if (part.status === 'fulfilled') continue
    await stop()
    throw part.reason
  }
  return {
    env: Object.assign({}, ...started.map((part) => part.env)) as Record<string, string>,
    servers,
    stop,
  }
}

interface Options {
  dir: string
  cache: string
  record?: string | undefined
}

async function postgres(options: Options): Promise<Part> {
  const server = await startPostgres({ ...options, durable: false })
  return { env: { TEST_POSTGRES_URL: server.url }, servers: [server] }
}

async function rabbit(options: Options): Promise<Part> {
  const server = await startRabbit(options)
  return { env: { TEST_AMQP_URL: server.amqp, TEST_AMQP_API: server.api }, servers: [server] }
}

async function mail(options: Options): Promise<Part> {
  const dovecot = await startDovecot(options)
  const hub = await startMailHub({
    ...options,
    port: dovecot.relayPort,
    lmtpPort: dovecot.lmtpPort,
  })
  return {
    env: {
      TEST_DOVECOT: JSON.stringify(toDovecotAddress(dovecot)),
      TEST_MAIL_HUB: JSON.stringify({ host: hub.host, port: hub.port, control: hub.control }),
    },
    servers: [dovecot, hub],
  }
}

async function cyrus(options: Options): Promise<Part> {
  const server = await startCyrus(options)
  return { env: { TEST_CYRUS: JSON.stringify(toCyrusAddress(server)) }, servers: [server] }
}

type StartOutgoing = (options: OutgoingServerOptions) => Promise<OutgoingServer>

interface OutgoingPart {
  variable: string
  options: (name: string) => Options
  mail: Part
}

async function startOutgoing(
  start: StartOutgoing,
  { variable, options, mail }: OutgoingPart,
): Promise<Part> {
  if (!canChroot()) return { env: { [variable]: 'off' }, servers: [] }
  const { lmtpPort, relayPort } = JSON.parse(mail.env['TEST_DOVECOT'] ?? '') as DovecotAddress
  const name = variable.replace('TEST_', '').toLowerCase()
  const server = await start({ ...options(name), lmtpPort, externalPort: relayPort })
  return { env: { [variable]: JSON.stringify(toOutgoingAddress(server)) }, servers: [server] }
}
