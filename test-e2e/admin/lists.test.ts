import { afterAll, expect, test } from '@jest/globals'
import { hasBrowser, testBrowser } from '@posthorn/testkit'
import { setUpOwner, startAdminWorld } from './admin-world.ts'
import { openPageWindow, seriousFindings, untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of a test that uses several pages, on a busy machine. */
const journeyMs = 300_000

async function openStage() {
  const world = stack.use(await startAdminWorld(['auth-bridge']))
  await world.posthorn.updateSettings({ body: { serviceUrl: 'https://mail.example' } })
  const browser = stack.use(await testBrowser())
  const window = await openPageWindow(browser, { width: 1280, height: 900 }, world.pagesUrl)
  await setUpOwner(window.page, world)
  return { world, window, page: window.page }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

/** Opens an administration page and waits for its data. */
async function open(path: string): Promise<void> {
  const { world, page } = opened()
  await page.goto(`${world.pagesUrl}/admin${path}`)
  await untilLoaded(page)
}

/** Fails if the open page has accessibility findings, errors or violations of its policy. */
async function expectCleanPage(): Promise<void> {
  const { window, page } = opened()
  // React Aria announces a running action by an element without text, which disappears after 7 s.
  await page.locator('[data-live-announcer] [role=img]').first().waitFor({ state: 'detached' })
  expect([...(await window.violations()), ...(await seriousFindings(page))]).toEqual([])
  expect(window.errors()).toEqual([])
}

/** Bytes of a file that a person chooses in the browser. */
function fileOf(name: string, text: string) {
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) }
}

testInBrowser(
  'OAuth2 applications: added from a file of Google, changed, checked and deleted',
  async () => {
    const { world, page } = opened()
    const secret = 'secret-of-the-google-client'
    const client = { client_id: 'client-1', client_secret: secret, project_id: 'project-1' }
    await open('/oauth2')
    await page.getByRole('link', { name: 'Add an OAuth2 application' }).first().click()
    await page.locator('pre', { hasText: 'https://mail.example/oauth' }).waitFor()
    const file = page.locator('input[type=file]')
    await file.setInputFiles(fileOf('wrong.json', '{"installed":{}}'))
    await page.getByText('The client is for desktop applications.').waitFor()
    await file.setInputFiles(fileOf('client.json', JSON.stringify({ web: client })))
    await page.getByText('Add the redirect URI https://mail.example/oauth').waitFor()
    expect(await page.getByLabel('Client id').inputValue()).toBe('client-1')
    await page.getByLabel('Name', { exact: true }).fill('CRM')
    await page.getByLabel('Application id (optional)').fill('crm')
    await expectCleanPage()
    await page.getByRole('button', { name: 'Add the application' }).click()
    await page.getByRole('heading', { level: 1, name: 'crm' }).waitFor()
    expect(await world.posthorn.getOAuth2App({ app: 'crm' })).toMatchObject({
      provider: 'gmail',
      clientId: 'client-1',
      clientSecret: '******',
      redirectUrl: 'https://mail.example/oauth',
    })

    await untilLoaded(page)
    await page.getByLabel('Description').fill('For sales')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await world.posthorn.getOAuth2App({ app: 'crm' })).toMatchObject({
      description: 'For sales',
      clientSecret: '******',
    })
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('button', { name: 'Check the application' }).click()
    const steps = page.getByRole('table', { name: 'Steps of the check' })
    await steps.getByRole('cell', { name: 'Redirect URL leads to this service' }).waitFor()
    await expectCleanPage()

    await page.getByRole('button', { name: 'Delete the application' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Type crm to confirm').fill('crm')
    await dialog.getByRole('button', { name: 'Delete the application' }).click()
    await page.getByText('OAuth2 applications appear here.').waitFor()
    expect((await world.posthorn.listOAuth2Apps()).total).toBe(0)
  },
  journeyMs,
)
