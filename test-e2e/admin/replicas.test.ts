import { afterAll, expect, test } from '@jest/globals'
import {
  freePort,
  hasBrowser,
  isFullFaultRun,
  TcpRelay,
  testBrowser,
  testBus,
  testDatabase,
} from '@posthorn/testkit'
import {
  callFromPage,
  type Page,
  setUpOwner,
  signIn,
  signOut,
  startAdminWorld,
} from './admin-world.ts'
import { untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of a test with two replicas, on a busy machine. */
const testMs = 300_000
const host = '127.0.0.1'

/**
 * Starts two replicas of admin-ui and api-gateway. TCP relays stand for the load balancers before
 * both services, and for the network to Postgres and RabbitMQ.
 */
async function openStage() {
  const database = stack.adopt(await testDatabase(), (resource) => resource.drop())
  const bus = stack.adopt(await testBus(), (resource) => resource.drop())
  await bus.grantServices()
  const nothing = { hostname: host, port: String(await freePort()) }
  const relay = async (target = nothing) => stack.use(await TcpRelay.to(target))
  const postgres = new URL(database.ownerUrl)
  const rabbit = new URL(bus.url)
  const relays = {
    postgres: await relay(postgres),
    rabbit: await relay(rabbit),
    gateway: await relay(),
    pages: await relay(),
  }
  const world = stack.use(
    await startAdminWorld([], {
      servers: {
        ownerUrl: database.ownerUrl,
        amqpUrl: Object.assign(new URL(bus.url), { host: relays.rabbit.address }).href,
      },
      pgbouncer: relays.postgres.address,
      replicas: { 'admin-ui': 2, 'api-gateway': 2 },
      envByService: { 'admin-ui': { SVC_GATEWAY_URL: `http://${relays.gateway.address}` } },
    }),
  )
  const target = (name: string) => ({ hostname: host, port: String(world.services.ports[name]) })
  relays.gateway.retarget(target('api-gateway'))
  relays.pages.retarget(target('admin-ui'))
  const pagesUrl = `http://${relays.pages.address}`
  const setUpUrl = world.setUpUrl.replace(world.pagesUrl, pagesUrl)
  const browser = stack.use(await testBrowser())
  const page = await browser.openWindow({ width: 1280, height: 900 })
  await setUpOwner(page, { setUpUrl })
  const { posthorn } = world
  await posthorn.createAccount({ body: { account: 'anna', name: 'Anna' } })
  return { world, relays, nothing, target, pagesUrl, page, postgres, rabbit }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

/** Opens the administration page of the accounts, which loads its rows every 10 s. */
async function openAccounts(page: Page): Promise<void> {
  await page.goto(`${opened().pagesUrl}/admin/accounts`)
  await page.getByRole('link', { name: 'Anna' }).waitFor()
  await untilLoaded(page)
}

/** Waits until the open administration page says that its data is old, and still shows the data. */
async function untilStale(page: Page, text: RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).first().waitFor()
  expect(await page.getByRole('link', { name: 'Anna' }).count()).toBe(1)
}

/**
 * Waits until the open administration page shows current data again, without an action of the
 * person.
 */
async function untilCurrent(page: Page): Promise<void> {
  await page.getByText('The data is from').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Anna' }).waitFor()
}

const sessionStatus = async (page: Page) =>
  (await callFromPage(page, { path: '/admin/session' })).status

/** Replicas of a service to kill: the first replica, and in `make test-faults` also the second. */
function replicasOf(service: string): [killed: string, other: string][] {
  const [first, second] = [service, `${service}-2`]
  return isFullFaultRun
    ? [
        [first, second],
        [second, first],
      ]
    : [[first, second]]
}

testInBrowser.each(replicasOf('admin-ui'))(
  'replica %s killed: the page says so and continues at the other replica',
  async (killed, other) => {
    const { world, relays, target, page } = opened()
    relays.pages.retarget(target(killed))
    await openAccounts(page)
    await world.services.kill(killed)
    await untilStale(page, /Disconnected/)
    relays.pages.retarget(target(other))
    await untilCurrent(page)
    await page.getByRole('link', { name: 'Invitations' }).click()
    await page.getByLabel('Email address').fill(`${killed}@example.com`)
    await page.getByRole('button', { name: 'Create the invitation' }).click()
    await page.getByText('Send this link to the person.').waitFor()
    await page.getByRole('cell', { name: `${killed}@example.com` }).waitFor()
    await world.services.start(killed)
  },
  testMs,
)

testInBrowser.each(replicasOf('api-gateway'))(
  'replica %s killed: the page says so and continues with the other replica',
  async (killed, other) => {
    const { world, relays, target, page } = opened()
    relays.gateway.retarget(target(killed))
    await openAccounts(page)
    await world.services.kill(killed)
    await untilStale(page, /cannot answer/)
    expect(await sessionStatus(page)).toBe(200)
    relays.gateway.retarget(target(other))
    await untilCurrent(page)
    await page.getByRole('link', { name: 'Anna' }).click()
    await page.getByRole('heading', { name: 'anna', exact: true }).waitFor()
    await page.getByRole('region', { name: 'State' }).waitFor()
    await world.services.start(killed)
  },
  testMs,
)

testInBrowser(
  'Postgres unavailable: pages say so and recover, changes are refused, the session survives',
  async () => {
    const { relays, nothing, pagesUrl, page, postgres } = opened()
    await openAccounts(page)
    relays.postgres.retarget(nothing)
    await untilStale(page, /cannot answer/)
    expect(await sessionStatus(page)).toBe(503)
    for (const path of ['/admin/call/v1/account', '/admin/people/invitations']) {
      const body = { account: 'ben', name: 'Ben' }
      expect((await callFromPage(page, { method: 'POST', path, body })).status).toBe(503)
    }
    const other = await page.context().newPage()
    await other.goto(`${pagesUrl}/admin/people`)
    await other
      .getByRole('alert')
      .filter({ hasText: /cannot answer/ })
      .waitFor()
    relays.postgres.retarget(postgres)
    await untilCurrent(page)
    await other.getByRole('cell', { name: 'owner@example.com' }).waitFor()
    await other.close()
    expect(await sessionStatus(page)).toBe(200)
    const { body } = await callFromPage(page, { path: '/admin/call/v1/accounts' })
    expect(body).toMatchObject({ total: 1 })
  },
  testMs,
)

testInBrowser(
  'RabbitMQ unavailable: pages work, and an ended session is refused by all replicas',
  async () => {
    const { world, relays, nothing, pagesUrl, page, rabbit } = opened()
    relays.rabbit.retarget(nothing)
    await openAccounts(page)
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`)
    await signOut(page, 'Olivia Owner')
    for (const name of ['admin-ui', 'admin-ui-2']) {
      const url = `${world.services.urls[name]}/admin/call/v1/accounts`
      const headers = { 'x-svc-admin': '1', cookie: cookie.join('; ') }
      expect([name, (await fetch(url, { headers })).status]).toEqual([name, 401])
    }
    relays.rabbit.retarget(rabbit)
    await page.goto(`${pagesUrl}/admin/accounts`)
    await signIn(page, 'owner@example.com')
    await page.getByRole('link', { name: 'Anna' }).waitFor()
  },
  testMs,
)
