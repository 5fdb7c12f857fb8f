import { expect, test } from '@jest/globals'
import { hasBrowser, testBrowser } from '@posthorn/testkit'
import { callFromPage, type Page, setUpOwner, startAdminWorld } from './admin-world.ts'
import { openPageWindow, untilLoaded, untilShown } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

/** Permits the owner of the administration pages, whose page is open, to read mail. */
async function permitReading(page: Page): Promise<void> {
  const { body } = await callFromPage(page, { path: '/admin/session' })
  const { id } = body['person'] as { id: string }
  const path = `/admin/people/${id}`
  const { status } = await callFromPage(page, { method: 'PUT', path, body: { mayReadMail: true } })
  expect(status).toBe(204)
}

testInBrowser(
  'events: appear live, show their body by right, and run through a route',
  async () => {
    await using world = await startAdminWorld([])
    await using browser = await testBrowser()
    const { posthorn } = world
    const window = await openPageWindow(browser, { width: 1280, height: 900 }, world.pagesUrl)
    const { page } = window
    await setUpOwner(page, world)
    await permitReading(page)
    await posthorn.createAccount({ body: { account: 'jane', name: 'Jane' } })
    await posthorn.createWebhookRoute({
      body: {
        name: 'Accounts of Omar',
        targetUrl: 'https://hooks.example/',
        content: { fn: 'return payload.account === "omar"', map: 'return { seen: payload.event }' },
      },
    })

    // The list of events shows stored events. In live mode, a new event appears without another
    // load of the list.
    await page.goto(`${world.pagesUrl}/admin/events`)
    await page.getByRole('link', { name: 'jane' }).waitFor()
    await page.getByText('Live', { exact: true }).click()
    await page.getByText('Live: new events appear at the top.').waitFor()
    expect(page.url()).toContain('live=1')
    await untilLoaded(page)
    await posthorn.createAccount({ body: { account: 'omar', name: 'Omar' } })
    await page.getByRole('link', { name: 'omar' }).waitFor()
    await page.getByLabel('Account').fill('omar')
    await page.getByText('Live: new events appear at the top.').waitFor()
    await page.getByRole('link', { name: 'jane' }).waitFor({ state: 'detached' })

    // The page of an event shows no body of the event before the person has given a reason.
    await page.getByRole('link', { name: 'accountAdded' }).click()
    await untilShown(page, 'Event')
    expect(await page.locator('pre').count()).toBe(0)
    await page.getByRole('button', { name: 'Read the body' }).click()
    await page.getByLabel('Reason').fill('ticket 4711')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.locator('pre').filter({ hasText: '"account": "omar"' }).waitFor()

    await page.getByRole('button', { name: 'Try the route' }).click()
    await page.getByText('The filter accepts the event').waitFor()
    await page.locator('pre').filter({ hasText: '"seen": "accountAdded"' }).waitFor()

    // Each read of an event's body is in the audit log, with its reason.
    await page.goto(`${world.pagesUrl}/admin/audit?operation=getEvent`)
    await page.getByRole('cell', { name: 'ticket 4711' }).first().waitFor()
    expect(await window.violations()).toEqual([])
    expect(window.foreignRequests).toEqual([])
  },
)
