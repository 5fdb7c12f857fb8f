import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startCyrus } from '../cyrus/server.ts'
import { type DovecotAddress, startDovecot } from '../dovecot/server.ts'
import type { ManagedServer } from '../process/managed-server.ts'
import { startMailHub } from '../mail-hub/server.ts'
import { startOpenSmtpd } from '../outgoing/opensmtpd.ts'
import type { OutgoingServer, OutgoingServerOptions } from '../outgoing/server.ts'
import { canChroot } from '../outgoing/chroot.ts'
import { startPostfix } from '../outgoing/postfix.ts'
import { startPgbouncer } from '../pgbouncer/server.ts'
import { startPostgres } from '../postgres/server.ts'
import { startRabbit } from '../rabbitmq/server.ts'

export interface TestServersOptions {
  /** Directory of the data of all test servers. Deleted when the servers stop. */
  dir: string
  /** Directory of downloaded packages, shared by all test servers. */
  cache: string
  /**
   * Environment variables with the addresses of running test servers, which are used instead of
   * starting others.
   */
  env?: Readonly<Record<string, string | undefined>>
  /**
   * File that records the processes of the test servers. With a record, the servers outlive this
   * process.
   */
  record?: string | undefined
}

export interface TestServers {
  /**
   * Environment variables for tests: TEST_POSTGRES_URL, TEST_PGBOUNCER (host and port),
   * TEST_AMQP_URL, TEST_AMQP_API, TEST_DOVECOT, TEST_MAIL_HUB, TEST_CYRUS, TEST_POSTFIX and
   * TEST_OPENSMTPD (JSON).
   */
  env: Record<string, string>
  servers: readonly ManagedServer[]
  stop(): Promise<void>
}

type Part = { env: Record<string, string>; servers: ManagedServer[] }

/**
 * Starts servers for tests concurrently: Postgres with pgbouncer, RabbitMQ, Dovecot with a mail
 * hub, Cyrus, Postfix and OpenSMTPD. Takes about 5 s with downloaded packages. Postfix and
 * OpenSMTPD need root and are left out without it.
 */
export async function startTestServers({
  dir,
  cache,
  env = {},
  record,
}: TestServersOptions): Promise<TestServers> {
  const options = (name: string) => ({ dir: join(dir, name), cache, record })
  const existing = (names: string[]) =>
    names.every((name) => env[name])
      ? { env: Object.fromEntries(names.map((name) => [name, env[name] ?? ''])), servers: [] }
      : undefined
  const mailboxes = existing(['TEST_DOVECOT', 'TEST_MAIL_HUB']) ?? mail(options('dovecot'))
  const outgoing = async (variable: string, start: StartOutgoing): Promise<Part> =>
    existing([variable]) ??
    (await startOutgoing(start, { variable, options, mail: await mailboxes }))
  const database = existing(['TEST_POSTGRES_URL']) ?? postgres(options('postgres'))
  const parts = await Promise.allSettled([
    database,
    existing(['TEST_PGBOUNCER']) ?? pgbouncer(options('pgbouncer'), database),
    existing(['TEST_AMQP_URL', 'TEST_AMQP_API']) ?? rabbit(options('rabbitmq')),
    mailboxes,
    existing(['TEST_CYRUS']) ?? cyrus(options('cyrus')),
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

async function pgbouncer(options: Options, database: Part | Promise<Part>): Promise<Part> {
  const { TEST_POSTGRES_URL: ownerUrl = '' } = (await database).env
  const server = await startPgbouncer({ ...options, ownerUrl })
  return { env: { TEST_PGBOUNCER: server.address }, servers: [server] }
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
      TEST_DOVECOT: JSON.stringify(dovecot.address),
      TEST_MAIL_HUB: JSON.stringify(hub.address),
    },
    servers: [dovecot, hub],
  }
}

async function cyrus(options: Options): Promise<Part> {
  const server = await startCyrus(options)
  return { env: { TEST_CYRUS: JSON.stringify(server.address) }, servers: [server] }
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
  // Without the environment variable of a server, the tests of the server start a private server
  // and fail with the remedy.
  if (!canChroot()) return { env: {}, servers: [] }
  const { lmtpPort, relayPort } = JSON.parse(mail.env['TEST_DOVECOT'] ?? '') as DovecotAddress
  const name = variable.replace('TEST_', '').toLowerCase()
  const server = await start({ ...options(name), lmtpPort, externalPort: relayPort })
  return { env: { [variable]: JSON.stringify(server.address) }, servers: [server] }
}
