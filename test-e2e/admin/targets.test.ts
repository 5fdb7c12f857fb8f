import { afterAll, expect, test } from '@jest/globals'
import { eventually, hasBrowser, testBrowser } from '@posthorn/testkit'
import { join, setUpOwner, startAdminWorld } from './admin-world.ts'
import { openPageWindow, seriousFindings, untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
/** Maximum duration of a test that follows one person, on a busy machine. */
const journeyMs = 300_000
const size = { width: 1280, height: 900 }

async function openStage() {
  const world = stack.use(await startAdminWorld(['auth-bridge', 'webhook-dispatcher']))
  const browser = stack.use(await testBrowser())
  const window = await openPageWindow(browser, size, world.pagesUrl)
  await setUpOwner(window.page, world)
  return { world, browser, window }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

testInBrowser(
  'Targets: a person tests a target, pauses and resumes it, and opens its deliveries',
  async () => {
    const { world, window } = opened()
    const { page } = window
    const { posthorn, receiver } = world
    receiver.replyWith(() => ({ body: '<b>accepted</b>' }))
    await page.goto(`${world.pagesUrl}/admin/targets`)
    await untilLoaded(page)
    const row = page.getByRole('row', { name: receiver.url })
    await row.getByText('default', { exact: true }).waitFor()

    await row.getByRole('button', { name: 'Test' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Send a test event' }).click()
    await dialog.getByText('responded with the status 200').waitFor()
    await dialog.getByText('<b>accepted</b>').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.keyboard.press('Escape')

    await row.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Pause' }).click()
    await row.getByText('paused', { exact: true }).waitFor()
    const before = receiver.requests.length
    await posthorn.createAccount({ body: { account: 'anna', name: 'Anna' } })
    await row.getByRole('link', { name: '1 due' }).click()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    await page.getByRole('cell', { name: 'accountAdded' }).waitFor()
    expect(receiver.requests).toHaveLength(before)

    await page.goBack()
    await row.getByRole('button', { name: 'Resume' }).click()
    await row.getByText('responds').waitFor()
    await eventually(() => expect(receiver.requests).toHaveLength(before + 1))
    const { webhookTargets } = await posthorn.getSettings({ webhookTargets: true })
    expect(webhookTargets).toBeNull()
    expect([...window.errors(), ...(await window.violations())]).toEqual([])
  },
  journeyMs,
)

testInBrowser(
  'Tokens: an owner creates a token of scope *, for other roles the form is missing',
  async () => {
    const { world, browser, window } = opened()
    const { page } = window
    await page.goto(`${world.pagesUrl}/admin/tokens`)
    const form = page.getByRole('region', { name: 'Create an operator token' })
    await form.getByLabel('Name of the script').fill('Nightly script')
    await form.getByLabel('Client addresses').fill('127.0.0.1')
    await form.getByRole('button', { name: 'Create the operator token' }).click()
    const token = await form.locator('pre').innerText()
    const response = await fetch(`${world.url}/admin/api/findings`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(response.status).toBe(200)
    await page.getByRole('row', { name: 'Nightly script' }).getByText('*').waitFor()

    const other = await openPageWindow(browser, size, world.pagesUrl)
    await join(page, other.page, { email: 'operator@example.com', role: 'operator' })
    await other.page.goto(`${world.pagesUrl}/admin/tokens`)
    await other.page.getByRole('link', { name: 'Create a token' }).waitFor()
    expect(await other.page.getByRole('region', { name: 'Create an operator token' }).count()).toBe(
      0,
    )
    expect([...window.errors(), ...other.errors()]).toEqual([])
  },
  journeyMs,
)
