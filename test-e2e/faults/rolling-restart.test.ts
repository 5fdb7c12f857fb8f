import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts'
import { freePort, startHaproxy } from '@posthorn/local'
import { cacheDirectory } from '@posthorn/local/paths'
import { serviceNames } from '@posthorn/local/role-passwords'
import { eventually, startSmtpScript } from '@posthorn/testkit'
import { startWorld, untilConnected } from '../world.ts'
import { findDuplicateEvents } from './main-job.ts'
import {
  createFetches,
  createRequests,
  createSubmissions,
  OutdatedReplicas,
  type RollingClients,
  runClients,
} from './rolling-clients.ts'
import { addSender, listDuplicates } from './sending-job.ts'

// Load that two cores can carry beside fourteen processes. TEST_ROLLING_LOAD=10 multiplies it.
const load = Number(process.env['TEST_ROLLING_LOAD'] ?? 1)
const ports = { imap: await freePort(), smtp: await freePort() }
const world = await startWorld({
  replicas: Object.fromEntries(serviceNames.map((name) => [name, 2])),
  settings: {
    imapProxyServerEnabled: true,
    imapProxyServerPort: ports.imap,
    smtpServerEnabled: true,
    smtpServerPort: ports.smtp,
  },
  env: {
    SVC_DRAIN_DELAY: '4s',
    SVC_IMAP_PROXY_DRAIN: '3s',
    SVC_SMTP_PROXY_DRAIN: '3s',
    SVC_SENDER_LEASE: '60s',
  },
})
const sink = await startSmtpScript()
const gateways = ['api-gateway', 'api-gateway-2'].map((name) => world.services.urls[name] ?? '')
const balancer = await startHaproxy({
  dir: join(world.logDir, 'haproxy'),
  cache: cacheDirectory(process.env),
  replicas: gateways.map((url) => Number(new URL(url).port)),
})
const replicas = new OutdatedReplicas(gateways)
const accepted = new Set<string>()
let clients: Record<string, RollingClients> = {}

beforeAll(async () => {
  const account = await addSender(world, sink, 'jane')
  const user = world.mail.freshUser()
  await world.register('reader', user)
  await world.mail.deliver(
    user.user,
    `Subject: large\r\n\r\n${'x'.repeat(70).concat('\r\n').repeat(5_000)}`,
  )
  const tokenOf = async (id: string, scope: string) => {
    const body = { account: id, scopes: [scope], description: 'mail client' }
    const { body: made } = await world.client.call(operations.createTokenAlias, { body })
    return String(made.token)
  }
  const [imapToken, smtpToken] = [
    await tokenOf('reader', 'imap-proxy'),
    await tokenOf(account, 'smtp'),
  ]
  await untilConnected(world.client, 'reader')
  const paths = ['/v1/account/reader', '/v1/account/reader/messages?path=INBOX']
  const requests = { token: world.token, paths }
  const { imap, smtp } = ports
  clients = {
    direct: runClients({
      clients: 5 * load,
      everyMs: 200,
      round: createRequests({ ...requests, url: (round) => replicas.select(round) }),
    }),
    balanced: runClients({
      clients: 5 * load,
      everyMs: 200,
      round: createRequests({ ...requests, url: () => balancer.url }),
    }),
    fetches: runClients({
      clients: 10 * load,
      everyMs: 500,
      round: createFetches({ port: imap, user: 'reader', token: imapToken }),
    }),
    submissions: runClients({
      clients: 2 * load,
      everyMs: 400,
      round: createSubmissions({ port: smtp, user: account, token: smtpToken }, accepted),
    }),
  }
})

afterAll(async () => {
  await Promise.all(Object.values(clients).map((each) => each.stop()))
  replicas.stop()
  await balancer[Symbol.asyncDispose]()
  await sink[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

/** Waits until every kind of client has worked on. */
async function untilWorked(): Promise<void> {
  const before = Object.values(clients).map(({ tally }) => tally.done)
  await eventually(
    () =>
      Object.values(clients).forEach(({ tally }, at) =>
        expect(tally.done).toBeGreaterThan((before[at] ?? 0) + 5),
      ),
    { timeoutMs: 60_000 },
  )
}

/** Removes and returns the failures so far. */
const takeFailures = () =>
  Object.fromEntries(
    Object.entries(clients).map(([kind, { tally }]) => [kind, tally.failures.splice(0)]),
  )
const none = { direct: [], balanced: [], fetches: [], submissions: [] }

test.each(serviceNames)('rolling restart of %s: no request fails, nothing is cut', async (name) => {
  await untilWorked()
  for (const replica of [name, `${name}-2`]) {
    await world.services.stop(replica)
    await world.services.start(replica)
  }
  await untilWorked()
  expect(takeFailures()).toEqual(none)
})

test('after all restarts: each accepted message was sent once, and reported once', async () => {
  await Promise.all(Object.values(clients).map((each) => each.stop()))
  const isReported = (messageId: string) =>
    world
      .webhooks()
      .some(({ event, data }) => event === 'messageSent' && data.messageId === messageId)
  await eventually(
    () => {
      const sent = new Set(sink.accepted.map(({ messageId }) => messageId))
      expect([...accepted].filter((id) => !sent.has(id) || !isReported(id))).toEqual([])
    },
    { timeoutMs: 60_000 },
  )
  expect(listDuplicates(sink)).toEqual([])
  expect(findDuplicateEvents(world.webhooks())).toEqual([])
  process.stdout.write(
    `rolling restart of ${serviceNames.length} services: ${JSON.stringify(
      Object.fromEntries(Object.entries(clients).map(([kind, { tally }]) => [kind, tally.done])),
    )}\n`,
  )
})
