import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { roleOf, serviceNames } from '@posthorn/contracts/services'
import { freePort, startPgbouncer } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, TcpRelay } from '@posthorn/testkit'
import { startOwnServers } from '../own-servers.ts'
import { startWorld } from '../world.ts'
import { lockAccounts } from './outage-reads.ts'
import {
  accountCommands,
  allHave,
  apiRequests,
  type OutageResult,
  type OutageSubject,
  proxyLogins,
  readAccount,
  sendAll,
  serviceRequests,
  statusesOf,
} from './outage-requests.ts'

// Services reach Postgres and RabbitMQ through TCP relays. For some faults, the relay of Postgres
// leads to pgbouncer.
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
const { token: proxyToken } = await world.posthorn.createTokenAlias({
  body: { account, scopes: ['imap-proxy', 'smtp'], description: 'mail client' },
})
const subject: OutageSubject = {
  world,
  account,
  proxyToken,
  imapPort: ports.imap,
  smtpPort: ports.smtp,
}
const pids = { ...world.services.pids }

const api = apiRequests(subject)
const commands = accountCommands(subject)
const logins = proxyLogins(subject)
const live = serviceRequests(subject, '/health/live')
const ready = serviceRequests(subject, '/health/ready')
const metrics = serviceRequests(subject, '/metrics')

/** Waits until all services respond as before the outage, without a restart of a service. */
async function untilAllWorks(): Promise<void> {
  const all = { ...api, ...commands, ...ready }
  await eventually(async () => {
    expect(statusesOf(await sendAll(all))).toEqual(allHave(all, 200))
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
  /** Database server that services connect to. Defaults to Postgres. */
  through?: 'Postgres' | 'pgbouncer'
  /** True if the Postgres pools of services have no connection when the fault begins. */
  isCold?: true
  /** True if Postgres ends the holder of a lock first, so that a waiting read may succeed. */
  endsLocks?: true
  begin: () => unknown
  end: () => unknown
}

/** Connects services to Postgres or pgbouncer. The present connections of the services are cut. */
const connectTo = (server: Fault['through'] = 'Postgres') =>
  database.retarget(new URL(server === 'Postgres' ? ownerUrl : `tcp://${pgbouncer.address}`))

const asOwner = (statement: string) => withClient(ownerUrl, (client) => client.query(statement))
const alterRoles = (change: string) =>
  asOwner(serviceNames.map((name) => `alter role ${roleOf(name)} ${change}`).join('; '))

const stopped: Fault = {
  endsLocks: true,
  begin: () => postgres.stop(),
  end: () => postgres.restart(),
}
const paused = { begin: () => postgres.pause(), end: () => postgres.resume() }
const silent = { begin: () => database.silence(true), end: () => database.silence(false) }
const delayed = {
  begin: () => database.delay(2_000),
  end() {
    database.delay(0)
    connectTo() // new connections: later data must not overtake delayed data
  },
}
const refusing = {
  async begin() {
    await alterRoles('nologin')
    await asOwner(`select pg_terminate_backend(pid) from pg_stat_activity where usename like
      'posthorn_%'`)
  },
  end: () => alterRoles('login'),
}

test.each<[string, Fault]>([
  ['Postgres stopped', stopped],
  ['Postgres paused', paused],
  ['Postgres paused, no connections', { isCold: true, ...paused }],
  ['Postgres refuses logins', refusing],
  ['network to Postgres drops packets', silent],
  ['network to Postgres drops packets, no connections', { isCold: true, ...silent }],
  ['network to Postgres delays packets by 2 s', delayed],
  ['Postgres stopped behind pgbouncer', { through: 'pgbouncer', ...stopped }],
  ['Postgres paused behind pgbouncer', { through: 'pgbouncer', ...paused }],
  ['Postgres paused behind pgbouncer, cold', { through: 'pgbouncer', isCold: true, ...paused }],
])('%s: requests respond 503, health and metrics respond', async (name, fault) => {
  connectTo(fault.through)
  await untilAllWorks()
  if (fault.isCold) connectTo(fault.through)
  const lock = await lockAccounts(ownerUrl)
  const early = sendAll(readAccount(subject))
  try {
    await lock.untilAwaited()
    await fault.begin()
    const [before, first, called, refused, isLive, scraped] = await Promise.all([
      early,
      sendAll(api),
      sendAll(commands),
      sendAll(logins),
      sendAll(live),
      sendAll(metrics),
    ])
    const later = await sendAll(api)
    report(name, { API: first, later, logins: refused, live: isLive, metrics: scraped })
    expect(fault.endsLocks ? [200, 503] : [503]).toContain(before['read account']?.status)
    expect(statusesOf(first)).toEqual(allHave(api, 503))
    // With an access token that was cached shortly before, a sync-worker may respond from its
    // memory.
    for (const { status } of Object.values(called)) expect([200, 503]).toContain(status)
    expect(statusesOf(refused)).toEqual({ 'IMAP login': 'NO [UNAVAILABLE]', 'SMTP login': '454' })
    expect(statusesOf(isLive)).toEqual(allHave(live, 200))
    expect(statusesOf(scraped)).toEqual(allHave(metrics, 200))
    expect(statusesOf(later)).toEqual(allHave(api, 503))
    await eventually(async () =>
      expect(statusesOf(await sendAll(commands))).toEqual(allHave(commands, 503)),
    )
    // A replica reports readiness for up to 1 s after the last response of Postgres.
    await eventually(async () =>
      expect(statusesOf(await sendAll(ready))).toEqual(allHave(ready, 503)),
    )
    const scrape = await (await fetch(`${world.url}/metrics`)).text()
    expect(/^posthorn_database_up\{.*$/m.exec(scrape)?.[0]).toMatch(/ 0$/)
  } finally {
    await fault.end()
    await lock.release()
  }
  await untilAllWorks()
})

/**
 * Makes the TCP relay to RabbitMQ work again, with new connections, because lost bytes cannot be
 * repeated.
 */
function mendBroker(): void {
  broker.silence(false)
  broker.delay(0)
  broker.retarget(new URL(amqpUrl))
}

test.each<[string, Fault]>([
  ['RabbitMQ stopped', { begin: () => rabbit.stop(), end: () => rabbit.restart() }],
  ['RabbitMQ paused', { begin: () => rabbit.pause(), end: () => rabbit.resume() }],
  ['network to RabbitMQ drops packets', { begin: () => broker.silence(true), end: mendBroker }],
  [
    'network to RabbitMQ delays packets by 2 s',
    { begin: () => broker.delay(2_000), end: mendBroker },
  ],
])('%s: account commands respond 503, submissions are accepted', async (name, { begin, end }) => {
  connectTo()
  await untilAllWorks()
  try {
    await begin()
    const [first, called, isLive, scraped] = await Promise.all([
      sendAll(api),
      sendAll(commands),
      sendAll(live),
      sendAll(metrics),
    ])
    const later = await sendAll({ ...api, ...commands })
    report(name, { API: first, commands: called, later, live: isLive, metrics: scraped })
    expect(statusesOf(first)).toEqual(allHave(api, 200))
    expect(statusesOf(called)).toEqual(allHave(commands, 503))
    expect(statusesOf(isLive)).toEqual(allHave(live, 200))
    expect(statusesOf(scraped)).toEqual(allHave(metrics, 200))
    expect(statusesOf(later)).toEqual({ ...allHave(api, 200), ...allHave(commands, 503) })
  } finally {
    await end()
  }
  await untilAllWorks()
})
