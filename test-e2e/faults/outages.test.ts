import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { freePort, startPgbouncer } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { eventually, TcpRelay } from '@posthorn/testkit'
import { startOwnServers } from '../own-servers.ts'
import { startWorld } from '../world.ts'
import {
  accountCommand,
  allHave,
  apiRequests,
  type OutageResult,
  type OutageSubject,
  proxyLogins,
  sendAll,
  serviceRequests,
  statusesOf,
} from './outage-requests.ts'

// Services reach Postgres and RabbitMQ through relays, one of them also through pgbouncer.
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const dir = await mkdtemp(join(tmpdir(), 'posthorn-outages-'))
await chmod(dir, 0o755) // as root, servers run as the unprivileged user
stack.defer(() => rm(dir, { recursive: true, force: true }))
const { ownerUrl, amqpUrl, postgres, rabbit } = await startOwnServers(
  { dir, durable: false },
  stack,
)
const pgbouncer = await startPgbouncer({
  dir: join(dir, 'pgbouncer'),
  cache: cacheDirectory(process.env),
  ownerUrl,
})
stack.defer(() => pgbouncer.destroy())
const database = stack.use(await TcpRelay.to(new URL(ownerUrl)))
const broker = stack.use(await TcpRelay.to(new URL(amqpUrl)))
const ports = { imap: await freePort(), smtp: await freePort() }
const world = stack.use(
  await startWorld({
    servers: {
      ownerUrl,
      amqpUrl: Object.assign(new URL(amqpUrl), { host: broker.address }).href,
    },
    pgbouncer: database.address,
    settings: {
      imapProxyServerEnabled: true,
      imapProxyServerPort: ports.imap,
      smtpServerEnabled: true,
      smtpServerPort: ports.smtp,
    },
  }),
)
const { account } = await world.connectAccount('jane')
const { body: made } = await world.client.call(operations.createTokenAlias, {
  body: { account, scopes: ['imap-proxy', 'smtp'], description: 'mail client' },
})
const subject: OutageSubject = {
  world,
  account,
  proxyToken: made.token,
  imapPort: ports.imap,
  smtpPort: ports.smtp,
}
const pids = { ...world.services.pids }

const api = apiRequests(subject)
const command = accountCommand(subject)
const logins = proxyLogins(subject)
const live = serviceRequests(subject, '/health/live')
const ready = serviceRequests(subject, '/health/ready')
const metrics = serviceRequests(subject, '/metrics')

/** Waits until everything works again, without a restart of a service. */
async function untilAllWorks(): Promise<void> {
  await eventually(async () => {
    expect(statusesOf(await sendAll({ ...api, ...command, ...ready }))).toEqual(
      allHave({ ...api, ...command, ...ready }, 200),
    )
    expect(statusesOf(await sendAll(logins))).toEqual({ 'IMAP login': 'OK', 'SMTP login': '235' })
  })
  expect(world.services.pids).toEqual(pids)
}

/** Prints the longest duration of each kind of request. */
function report(name: string, kinds: Record<string, Record<string, OutageResult>>): void {
  const longest = Object.entries(kinds).map(([kind, results]) => {
    const ms = Math.max(...Object.values(results).map((result) => result.ms))
    return `${kind} ${ms} ms`
  })
  process.stdout.write(`  ${name}: ${longest.join(', ')}\n`)
}

interface Fault {
  before?: () => Promise<void>
  begin: () => Promise<void> | void
  end: () => Promise<void> | void
}

const through = (target: 'Postgres' | 'pgbouncer') => async () =>
  database.retarget(
    target === 'Postgres' ? new URL(ownerUrl) : new URL(`tcp://${pgbouncer.address}`),
  )
const stopped = { begin: () => postgres.stop(), end: () => postgres.restart() }
const paused = { begin: () => postgres.pause(), end: () => postgres.resume() }

test.each<[string, Fault]>([
  ['Postgres stopped', stopped],
  ['Postgres paused', paused],
  [
    'network to Postgres drops packets',
    { begin: () => database.silence(true), end: () => database.silence(false) },
  ],
  [
    'network to Postgres delays packets by 2 s',
    {
      begin: () => database.delay(2_000),
      async end() {
        database.delay(0)
        await through('Postgres')() // Later data must not overtake delayed data.
      },
    },
  ],
  ['Postgres stopped behind pgbouncer', { before: through('pgbouncer'), ...stopped }],
  ['Postgres paused behind pgbouncer', { before: through('pgbouncer'), ...paused }],
])('%s: requests respond 503, health and metrics respond', async (name, { before, begin, end }) => {
  await (before ?? through('Postgres'))()
  await untilAllWorks()
  await begin()
  try {
    const [first, commands, refused, isLive, scraped] = await Promise.all([
      sendAll(api),
      sendAll(command),
      sendAll(logins),
      sendAll(live),
      sendAll(metrics),
    ])
    const later = await sendAll({ ...api, ...command })
    report(name, { API: first, later, logins: refused, metrics: scraped })
    expect(statusesOf(first)).toEqual(allHave(api, 503))
    // With a token that was cached shortly before, a worker may respond from its memory.
    expect([200, 503]).toContain(commands['list mailboxes']?.status)
    expect(statusesOf(refused)).toEqual({ 'IMAP login': 'NO [UNAVAILABLE]', 'SMTP login': '454' })
    expect(statusesOf(isLive)).toEqual(allHave(live, 200))
    expect(statusesOf(scraped)).toEqual(allHave(metrics, 200))
    expect(statusesOf(later)).toEqual(allHave({ ...api, ...command }, 503))
    // A replica is ready for up to a second after the last response.
    await eventually(async () =>
      expect(statusesOf(await sendAll(ready))).toEqual(allHave(ready, 503)),
    )
  } finally {
    await end()
  }
  await untilAllWorks()
})

test.each<[string, Fault]>([
  ['RabbitMQ stopped', { begin: () => rabbit.stop(), end: () => rabbit.restart() }],
  ['RabbitMQ paused', { begin: () => rabbit.pause(), end: () => rabbit.resume() }],
  [
    'network to RabbitMQ drops packets',
    {
      begin: () => broker.silence(true),
      end() {
        broker.silence(false)
        broker.retarget(new URL(amqpUrl)) // Lost bytes cannot be repeated.
      },
    },
  ],
  [
    'network to RabbitMQ delays packets by 2 s',
    {
      begin: () => broker.delay(2_000),
      end() {
        broker.delay(0)
        broker.retarget(new URL(amqpUrl))
      },
    },
  ],
])('%s: account commands respond 503, submissions are accepted', async (name, { begin, end }) => {
  await through('Postgres')()
  await untilAllWorks()
  await begin()
  try {
    const [first, commands, isLive, scraped] = await Promise.all([
      sendAll(api),
      sendAll(command),
      sendAll(live),
      sendAll(metrics),
    ])
    report(name, { API: first, 'account command': commands, metrics: scraped })
    expect(statusesOf(first)).toEqual(allHave(api, 200))
    expect(statusesOf(commands)).toEqual(allHave(command, 503))
    expect(statusesOf(isLive)).toEqual(allHave(live, 200))
    expect(statusesOf(scraped)).toEqual(allHave(metrics, 200))
  } finally {
    await end()
  }
  await untilAllWorks()
})
