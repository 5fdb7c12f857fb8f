import { join } from 'node:path'
import { expect } from '@jest/globals'
import { freePort, startHaproxy } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { coreServices } from '@posthorn/local/role-passwords'
import { eventually, faultSize, type SmtpScript, startSmtpScript } from '@posthorn/testkit'
import { connectManyAccounts, messagesPath, shuffled } from '../many-accounts.ts'
import { startWorld, untilConnected, type World, type WorldOptions } from '../world.ts'
import { findDuplicateEvents } from './main-job.ts'
import { ReplicaBundles } from './replica-bundles.ts'
import {
  createFetches,
  createRequests,
  createSubmissions,
  OutdatedReplicas,
  type RollingClients,
  runClients,
} from './rolling-clients.ts'
import { addSender, listDuplicates } from './sending-job.ts'

// Factor of the test clients' load. The default is a load that two cores can carry beside fourteen
// processes. TEST_ROLLING_LOAD=10 multiplies the load by 10.
const load = Number(process.env['TEST_ROLLING_LOAD'] ?? 1)
/**
 * Number of accounts at one mail server, from which API reads choose at random. The logins of these
 * accounts take most of the test's time.
 */
const manyAccounts = Number(
  process.env['TEST_ROLLING_ACCOUNTS'] ?? faultSize({ small: 30, full: 100 }),
)

const gatewayNames = ['api-gateway', 'api-gateway-2']

/** Two replicas of each service, under the load of test clients. */
export interface RollingJob extends AsyncDisposable {
  readonly world: World
  /**
   * Stops a replica of a service and starts it again, from the folder of a bundle (`make build`).
   */
  replace(replica: string, bundle: string): Promise<void>
  /** Waits until each kind of test client has done more work. Fails if a client had a failure. */
  untilWorked(): Promise<void>
  /**
   * Waits until each message that was accepted so far was sent once and reported once. Returns the
   * amount of work by kind of client, and the number of reads that the previous release refused.
   */
  untilReportedOnce(): Promise<Record<string, number>>
  /** Stops the test clients, then waits and returns as `untilReportedOnce` does. */
  endWithoutLoss(): Promise<Record<string, number>>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts two replicas of each service, haproxy in front of api-gateway, and the test clients. */
export async function startRollingJob(
  options: Pick<WorldOptions, 'servers' | 'bundle'> = {},
): Promise<RollingJob> {
  await using stack = new AsyncDisposableStack()
  const ports = { imap: await freePort(), smtp: await freePort() }
  const world = stack.use(await startRollingWorld(options, ports))
  const sink = stack.use(await startSmtpScript())
  const gateways = gatewayNames.map((name) => world.services.urls[name] ?? '')
  const balancer = stack.use(
    await startHaproxy({
      dir: join(world.logDir, 'haproxy'),
      cache: cacheDirectory(process.env),
      replicas: gateways.map((url) => Number(new URL(url).port)),
    }),
  )
  const replicas = new OutdatedReplicas(gateways)
  stack.defer(() => replicas.stop())
  const logins = await addAccounts(world, sink)
  const accepted = new Set<string>()
  const urls = {
    direct: (round: number) => replicas.select(round),
    balanced: () => balancer.url,
  }
  const many = stack.use(await connectManyAccounts(world, manyAccounts)).accounts
  const bundles = new ReplicaBundles(options.bundle)
  const mayRefuse = (address: string, code: string) =>
    gatewayNames
      .filter((_, at) => address === balancer.url || address === gateways[at])
      .some((gateway) => bundles.mayRefuse(gateway, code))
  const clients = startClients({ world, ports, logins, accepted, urls, many, mayRefuse })
  const stopClients = async () =>
    void (await Promise.all(Object.values(clients).map((each) => each.stop())))
  stack.defer(stopClients)
  const reportedOnce = async () => {
    await untilReportedOnce(world, sink, new Set(accepted))
    const done = Object.entries(clients).map(([kind, { tally }]) => [kind, tally.done] as const)
    return { ...Object.fromEntries(done), excused: countExcused(clients) }
  }
  const resources = stack.move()
  return {
    world,
    async replace(replica, bundle) {
      await world.services.stop(replica)
      await world.services.start(replica, bundle)
      bundles.set(replica, bundle)
    },
    untilWorked: () => untilWorked(clients),
    untilReportedOnce: reportedOnce,
    async endWithoutLoss() {
      await stopClients()
      return reportedOnce()
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type SelectUrl = (round: number) => string | Promise<string>

interface ClientsInput {
  world: World
  ports: { imap: number; smtp: number }
  logins: Awaited<ReturnType<typeof addAccounts>>
  /** Ids of submissions that smtp-proxy accepted. */
  accepted: Set<string>
  /**
   * Functions that return the URL for the next API request: of a replica of api-gateway, or of
   * haproxy.
   */
  urls: { direct: SelectUrl; balanced: SelectUrl }
  /** Accounts from which the API reads choose at random. */
  many: readonly string[]
  /**
   * Returns true if a replica of the previous release may currently cause an error code in a
   * response from an address.
   */
  mayRefuse: (address: string, code: string) => boolean
}

function startClients({ many, mayRefuse, ...input }: ClientsInput) {
  const { world, ports, logins, accepted, urls } = input
  const paths = ['/v1/account/reader', '/v1/account/reader/messages?path=INBOX']
  const reading = { token: world.token, mayRefuse }
  const rounds = {
    direct: createRequests({ ...reading, paths, url: urls.direct }),
    balanced: createRequests({ ...reading, paths, url: urls.balanced }),
    random: createRequests({
      ...reading,
      paths: shuffled(many).map(messagesPath),
      url: urls.direct,
    }),
    fetches: createFetches({ port: ports.imap, ...logins.reader }),
    submissions: createSubmissions({ port: ports.smtp, ...logins.sender }, accepted),
  }
  return {
    direct: runClients({ clients: 5 * load, everyMs: 200, round: rounds.direct }),
    balanced: runClients({ clients: 5 * load, everyMs: 200, round: rounds.balanced }),
    random: runClients({ clients: 2 * load, everyMs: 200, round: rounds.random }),
    fetches: runClients({ clients: 6 * load, everyMs: 500, round: rounds.fetches }),
    submissions: runClients({ clients: 2 * load, everyMs: 400, round: rounds.submissions }),
  }
}

function startRollingWorld(
  options: Pick<WorldOptions, 'servers' | 'bundle'>,
  ports: { imap: number; smtp: number },
): Promise<World> {
  return startWorld({
    ...options,
    replicas: Object.fromEntries(coreServices.map((name) => [name, 2])),
    settings: {
      imapProxyServerEnabled: true,
      imapProxyServerPort: ports.imap,
      smtpServerEnabled: true,
      smtpServerPort: ports.smtp,
    },
    env: {
      SVC_DRAIN_DELAY: '6s',
      SVC_IMAP_PROXY_DRAIN: '8s',
      SVC_SMTP_PROXY_DRAIN: '8s',
      SVC_SENDER_LEASE: '60s',
    },
  })
}

/**
 * Registers two accounts: the first account sends messages, the second account has a large message.
 * Returns the logins of the accounts at the mail proxies.
 */
async function addAccounts(world: World, sink: SmtpScript) {
  const tokenOf = async (account: string, scope: 'smtp' | 'imap-proxy') => {
    const body = { account, scopes: [scope], description: 'mail client' }
    return (await world.posthorn.createTokenAlias({ body })).token
  }
  const sender = await addSender(world, sink, 'jane')
  const user = world.mail.freshUser()
  await world.register('reader', user)
  const text = 'x'.repeat(70).concat('\r\n').repeat(5_000)
  await world.mail.deliver(user.user, `Subject: large\r\n\r\n${text}`)
  const logins = {
    reader: { user: 'reader', token: await tokenOf('reader', 'imap-proxy') },
    sender: { user: sender, token: await tokenOf(sender, 'smtp') },
  }
  await untilConnected(world, 'reader')
  return logins
}

async function untilWorked(clients: Readonly<Record<string, RollingClients>>): Promise<void> {
  const tallies = Object.entries(clients).map(([kind, { tally }]) => ({ kind, tally }))
  const before = tallies.map(({ tally }) => tally.done)
  await eventually(
    () =>
      tallies.forEach(({ tally }, at) => expect(tally.done).toBeGreaterThan((before[at] ?? 0) + 5)),
    { timeoutMs: 150_000 },
  )
  // Failures are removed from the counts of the test clients, so that each test sees only its own
  // failures.
  const failures = tallies.flatMap(({ kind, tally }) =>
    tally.failures.splice(0).map((failure) => `${kind}: ${failure}`),
  )
  expect(failures).toEqual([])
}

function countExcused(clients: Readonly<Record<string, RollingClients>>): number {
  return Object.values(clients).reduce((sum, { tally }) => sum + tally.excused, 0)
}

async function untilReportedOnce(
  world: World,
  sink: SmtpScript,
  accepted: ReadonlySet<string>,
): Promise<void> {
  const isReported = (messageId: string) =>
    world
      .webhooks()
      .some(({ event, data }) => event === 'messageSent' && data.messageId === messageId)
  await eventually(
    () => {
      const sent = new Set(sink.accepted.map(({ messageId }) => messageId))
      expect([...accepted].filter((id) => !sent.has(id) || !isReported(id))).toEqual([])
    },
    { timeoutMs: 150_000 },
  )
  expect(listDuplicates(sink)).toEqual([])
  expect(findDuplicateEvents(world.webhooks())).toEqual([])
}
