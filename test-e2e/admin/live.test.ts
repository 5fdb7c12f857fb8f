import { afterAll, expect, test } from '@jest/globals'
import { hasBrowser, TcpRelay, testBrowser } from '@posthorn/testkit'
import { callFromPage, setUpOwner, startAdminWorld } from './admin-world.ts'
import { untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of a test, on a busy machine. */
const testMs = 300_000
/**
 * Maximum time for a change to appear on an administration page. Without live updates, the change
 * would appear after 60 s.
 */
const appearMs = 30_000

/**
 * Starts the system with a signed-in owner. A TCP relay stands for the load balancer of admin-ui.
 */
async function openStage() {
  const world = stack.use(await startAdminWorld([]))
  const target = { hostname: '127.0.0.1', port: String(world.services.ports['admin-ui']) }
  const relay = stack.use(await TcpRelay.to(target))
  const pagesUrl = `http://${relay.address}`
  const browser = stack.use(await testBrowser())
  const page = await browser.openWindow({ width: 1280, height: 900 })
  await setUpOwner(page, { setUpUrl: world.setUpUrl.replace(world.pagesUrl, pagesUrl) })
  const smtp = { host: 'smtp.example.com', port: 465, auth: { user: 'anna', pass: 'secret' } }
  const anna = { account: 'anna', name: 'Anna', email: 'anna@example.com', smtp }
  await world.posthorn.createAccount({ body: anna })
  /** Opens an administration page, and waits until the page receives live updates. */
  const open = async (path: string) => {
    const live = page.waitForResponse((response) => response.url().includes('/admin/live?'))
    await page.goto(`${pagesUrl}/admin${path}`)
    await live
    await untilLoaded(page)
    // A mark in the administration page shows later that the page was not loaded again.
    await page.evaluate('window.isSamePage = true')
  }
  return { ...world, relay, target, page, pagesUrl, open }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

testInBrowser(
  'a new account: appears on the open page without a reload',
  async () => {
    const { page, posthorn, open } = opened()
    await open('/accounts')
    await page.getByRole('link', { name: 'Anna' }).waitFor()
    await posthorn.createAccount({ body: { account: 'bruno', name: 'Bruno' } })
    await page.getByRole('link', { name: 'Bruno' }).waitFor({ timeout: appearMs })
    expect(await page.evaluate('window.isSamePage')).toBe(true)
  },
  testMs,
)

testInBrowser(
  'a new message: changes the dashboard and the open outbox without a reload',
  async () => {
    const { page, posthorn, open } = opened()
    const submit = async (address: string) => {
      const sendAt = new Date(Date.now() + 86_400_000).toISOString()
      const body = { to: [{ address }], subject: 'Hello', text: 'Hello', sendAt }
      await posthorn.submitMessage({ account: 'anna', body })
    }
    const due = (count: number) => page.getByRole('link', { name: `${count} Messages due` })
    await open('/')
    await due(0).waitFor()
    await submit('first@example.com')
    await due(1).waitFor({ timeout: appearMs })
    await page.getByRole('link', { name: 'Outbox', exact: true }).first().click()
    await page.getByText('first@example.com').waitFor()
    await submit('second@example.com')
    await page.getByText('second@example.com').waitFor({ timeout: appearMs })
    expect(await page.evaluate('window.isSamePage')).toBe(true)
  },
  testMs,
)

testInBrowser(
  'a lost stream: the page marks its data as old, and reconnects automatically',
  async () => {
    const { page, posthorn, open, relay, target } = opened()
    await open('/accounts')
    relay.retarget({ hostname: '127.0.0.1', port: '1' })
    await page.getByText('The data is from').waitFor()
    expect(await page.getByRole('link', { name: 'Anna' }).count()).toBe(1)
    await posthorn.createAccount({ body: { account: 'carla', name: 'Carla' } })
    relay.retarget(target)
    await page.getByRole('link', { name: 'Carla' }).waitFor({ timeout: appearMs })
    await page.getByText('The data is from').waitFor({ state: 'detached' })
    expect(await page.evaluate('window.isSamePage')).toBe(true)
  },
  testMs,
)

testInBrowser(
  'an ended session: the open page shows the sign-in',
  async () => {
    const { page, open, pagesUrl } = opened()
    await open('/accounts')
    const other = await page.context().newPage()
    await other.goto(`${pagesUrl}/admin/profile`)
    const path = '/admin/session/sign-out'
    expect((await callFromPage(other, { method: 'POST', path })).status).toBe(204)
    await other.close()
    // The other browser window was in front of the administration page. A hidden page has no stream
    // of live updates.
    await page.bringToFront()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: appearMs })
  },
  testMs,
)
