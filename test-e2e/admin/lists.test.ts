import { buffer, text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { eventually, freePort, hasBrowser, testBrowser } from '@posthorn/testkit'
import { untilConnected } from '../world.ts'
import { callFromPage, setUpOwner, startAdminWorld } from './admin-world.ts'
import { openPageWindow, seriousFindings, untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of a test that uses several pages, on a busy machine. */
const journeyMs = 300_000

async function openStage() {
  const world = stack.use(
    await startAdminWorld(['auth-bridge', 'sync-worker', 'sender', 'smtp-proxy'], {
      settings: { ignoreMailCertErrors: true },
    }),
  )
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

/**
 * Expected error responses, which browsers log: no gateway has the id of a new gateway, and the
 * right to read mail is not active.
 */
const isExpected = /\/gateway\/relay: .* status of 404|\/download: .* status of 403/

/**
 * Fails if the open page has accessibility findings, errors or violations of its content security
 * policy.
 */
async function expectCleanPage(): Promise<void> {
  const { window, page } = opened()
  // React Aria announces a running action by an element without text, which disappears after 7 s.
  await page.locator('[data-live-announcer] [role=img]').first().waitFor({ state: 'detached' })
  expect([...(await window.violations()), ...(await seriousFindings(page))]).toEqual([])
  expect(window.errors().filter((error) => !isExpected.test(error))).toEqual([])
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
    await eventually(async () =>
      expect(await page.getByLabel('Client id').inputValue()).toBe('client-1'),
    )
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

testInBrowser(
  'gateways: added with a tested login, changed, tested with a message and deleted',
  async () => {
    const { world, page } = opened()
    const { host, submissionPort, user, pass } = world.mail.freshUser()
    await open('/gateways')
    await page.getByRole('link', { name: 'Add a gateway' }).first().click()
    await page.getByLabel('Name', { exact: true }).fill('Relay')
    await page.getByLabel('Gateway id (optional)').fill('relay')
    await page.getByLabel('SMTP server').fill(host)
    await page.getByLabel('Port').fill(String(submissionPort))
    await page.getByLabel('User name').fill(user)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Test the login' }).click()
    await page.getByText('The login fails:').waitFor()
    await page.getByLabel('Password').fill(pass)
    await page.getByRole('button', { name: 'Test the login' }).click()
    await page.getByText('The login works.').waitFor()
    await expectCleanPage()
    await page.getByRole('button', { name: 'Add the gateway' }).click()
    await page.getByRole('heading', { level: 1, name: 'relay' }).waitFor()

    const server = page.getByRole('region', { name: 'Settings' })
    await server.getByLabel('Name', { exact: true }).fill('Second relay')
    await server.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await world.posthorn.getGateway({ gateway: 'relay' })).toMatchObject({
      name: 'Second relay',
      user,
      pass: '******',
    })
    await open('/add-gateway')
    await page.getByLabel('Name', { exact: true }).fill('Other')
    await page.getByLabel('Gateway id (optional)').fill('relay')
    await page.getByLabel('SMTP server').fill('other.example')
    await page.getByRole('button', { name: 'Add the gateway' }).click()
    await page.getByText('The gateway id relay exists already.').waitFor()

    await world.posthorn.createAccount({
      body: { account: 'jane', name: 'Jane', email: 'jane@mail.test' },
    })
    await open('/gateways/relay')
    await page.getByLabel('Account id of the sender').fill('jane')
    await page.getByLabel('Recipient').fill('ben@mail.test')
    await page.getByRole('button', { name: 'Send a test message' }).click()
    await page.getByText('The message is queued.').waitFor()
    await page.getByRole('region', { name: 'State' }).getByText('works').waitFor()
    await expectCleanPage()

    await page.getByRole('button', { name: 'Delete the gateway' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Type relay to confirm').fill('relay')
    await dialog.getByRole('button', { name: 'Delete the gateway' }).click()
    await page.getByText('Gateways appear here.').waitFor()
  },
  journeyMs,
)

testInBrowser(
  'blocklists: addresses added by form and by a CSV file, downloaded and removed',
  async () => {
    const { world, page } = opened()
    await world.posthorn.createAccount({ body: { account: 'news', name: 'News' } })
    await open('/blocklists')
    await expectCleanPage()
    await page.getByLabel('List id').fill('News.example')
    await page.getByLabel('Email address').fill('ben@example.com')
    await page.getByLabel('Account id').fill('news')
    await page.getByRole('button', { name: 'Add the address' }).click()
    await page.getByRole('heading', { level: 1, name: 'news.example' }).waitFor()
    await page.getByRole('cell', { name: 'ben@example.com' }).waitFor()

    const file = page.locator('input[type=file]')
    await file.setInputFiles(fileOf('large.csv', 'x'.repeat(1_048_577)))
    await page.getByText('The file has more than 1,048,576 bytes.').waitFor()
    const lines = ['email,reason', '=cmd@example.com,=1+1', 'no address,', 'ben@example.com,again']
    await file.setInputFiles(fileOf('blocked.csv', lines.join('\n')))
    await page.getByText('Lines without an email address: 1.').waitFor()
    expect(await page.getByRole('button', { name: 'Add 2 addresses' }).isDisabled()).toBe(true)
    await page.getByLabel('Account id of the file').fill('news')
    await page.getByRole('button', { name: 'Add 2 addresses' }).click()
    await page.getByText('2 of 2 done, 0 failed').waitFor()
    await page.getByRole('cell', { name: '=cmd@example.com' }).waitFor()
    await expectCleanPage()

    const started = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download as CSV' }).click()
    const download = await started
    expect(download.suggestedFilename()).toBe('blocklist-news.example.csv')
    const csv = await text(await download.createReadStream())
    expect(csv).toContain(`"'=cmd@example.com",news,"'=1+1",api,`)

    const row = page.getByRole('row').filter({ hasText: 'ben@example.com' })
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await eventually(async () => {
      const { addresses } = await world.posthorn.getBlocklist({ listId: 'news.example' })
      expect(addresses.map(({ recipient }) => recipient)).toEqual(['=cmd@example.com'])
    })
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await row.waitFor({ state: 'detached' })
  },
  journeyMs,
)

testInBrowser(
  'exports: created, downloaded with the right to read mail, and deleted',
  async () => {
    const { world, page } = opened()
    await world.register('archive', world.mail.freshUser())
    await untilConnected(world, 'archive')
    const message = { path: 'INBOX', subject: 'Exported', text: 'Hello' }
    await world.posthorn.uploadMessage({ account: 'archive', body: message })
    await open('/exports')
    await expectCleanPage()
    await page.getByLabel('Account id').fill('archive')
    await page.getByLabel('Received from').fill('2020-01-01T00:00')
    await page.getByLabel('Received before').fill('2100-01-01T00:00')
    await page.getByRole('button', { name: 'Create the export' }).click()
    await page.getByText(/The export exp_\w+ is queued/).waitFor()
    const table = page.getByRole('table', { name: 'Exports' })
    await table.getByText('completed').waitFor({ timeout: 120_000 })
    await table.getByText('1 of 1 messages').waitFor()
    expect(await table.getByRole('button', { name: 'Download' }).count()).toBe(0)

    const { body } = await callFromPage(page, { path: '/admin/session' })
    const { id } = body['person'] as { id: string }
    await callFromPage(page, {
      method: 'PUT',
      path: `/admin/people/${id}`,
      body: { mayReadMail: true },
    })
    await open('/exports')
    const started = page.waitForEvent('download')
    await table.getByRole('button', { name: 'Download' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('case 7')
    await page.getByRole('dialog').getByRole('button').first().click()
    const download = await started
    expect(download.suggestedFilename()).toMatch(/^exp_\w+\.ndjson\.gz$/)
    const content = gunzipSync(await buffer(await download.createReadStream())).toString()
    expect(JSON.parse(content)).toMatchObject({ subject: 'Exported' })
    await expectCleanPage()

    await table.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No export matches.').waitFor()
  },
  journeyMs,
)

testInBrowser(
  'queues: paused and resumed',
  async () => {
    const { world, page } = opened()
    await open('/queues')
    await expectCleanPage()
    const row = page.getByRole('row').filter({ hasText: 'Webhook deliveries' })
    await row.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Pause' }).click()
    await row.getByText('paused', { exact: true }).waitFor()
    expect(await world.posthorn.getQueue({ queue: 'notify' })).toMatchObject({ paused: true })
    expect(await world.posthorn.getQueue({ queue: 'submit' })).toMatchObject({ paused: false })
    await row.getByRole('button', { name: 'Resume Webhook deliveries' }).click()
    await row.getByText('running', { exact: true }).waitFor()
    expect(await world.posthorn.getQueue({ queue: 'notify' })).toMatchObject({ paused: false })
  },
  journeyMs,
)

testInBrowser(
  'mail proxies: changed by an owner, with a password that is never shown',
  async () => {
    const { world, page } = opened()
    const password = 'a password of more than 32 characters'
    await open('/mail-proxies')
    await expectCleanPage()
    await page.getByRole('button', { name: 'Change the SMTP proxy' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Port').fill('2587')
    await dialog.getByLabel('Password for all accounts').fill(password)
    await expectCleanPage()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const panel = page.getByRole('region', { name: 'SMTP proxy' })
    await panel.getByText('127.0.0.1, port 2587').waitFor()
    await panel.getByText('set, not shown').waitFor()
    const keys = { smtpServerPort: true, smtpServerPassword: true, smtpServerEnabled: true }
    expect(await world.posthorn.getSettings(keys)).toMatchObject({
      smtpServerPort: 2587,
      smtpServerPassword: true,
    })
    expect(await page.content()).not.toContain(password)
  },
  journeyMs,
)

testInBrowser(
  'mail proxies: the page shows the running replicas and follows their listeners',
  async () => {
    const { world, page } = opened()
    await open('/mail-proxies')
    const imap = page.getByRole('region', { name: 'IMAP proxy' })
    await imap.getByText('Running processes of imap-proxy appear here.').waitFor()
    const table = page.getByRole('table', { name: 'Replicas of the SMTP proxy' })
    const row = table.getByRole('row').nth(1)
    await row.getByText('off', { exact: true }).waitFor()
    const port = await freePort()
    await world.posthorn.updateSettings({ body: { smtpServerEnabled: true, smtpServerPort: port } })
    await row.getByText('listening', { exact: true }).waitFor()
    await row.getByText(`port ${port}`).waitFor()
    await expectCleanPage()
    await world.posthorn.updateSettings({ body: { smtpServerEnabled: false } })
    await row.getByText('off', { exact: true }).waitFor()
  },
  journeyMs,
)
