import { afterAll, expect, test } from '@jest/globals'
import { eventually, hasBrowser, testBrowser } from '@posthorn/testkit'
import { join, setUpOwner, startAdminWorld } from './admin-world.ts'
import { KeyboardUser } from './keyboard.ts'
import { openPageWindow, seriousFindings, untilFocused, untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of a test of several administration pages on a busy machine. */
const journeyMs = 300_000
const wide = { width: 1280, height: 900 }

async function openStage() {
  const world = stack.use(await startAdminWorld(['auth-bridge', 'webhook-dispatcher']))
  const browser = stack.use(await testBrowser())
  const window = await openPageWindow(browser, wide, world.pagesUrl)
  await setUpOwner(window.page, world)
  return { world, browser, window, owner: new KeyboardUser(window.page) }
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
    await posthorn.createAccount({ body: { account: 'clara', name: 'Clara' } })
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

    const other = await openPageWindow(browser, wide, world.pagesUrl)
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

/** Opens the form for a new access token. */
async function openForm(): Promise<void> {
  const { world, window } = opened()
  await window.page.goto(`${world.pagesUrl}/admin/create-token`)
  await untilLoaded(window.page)
}

const checkBox = (name: string) => opened().window.page.getByRole('checkbox', { name, exact: true })

/** Moves to check boxes in the grid of permissions and presses each check box. */
async function press(...names: string[]): Promise<void> {
  const { owner } = opened()
  for (const name of names) {
    await owner.tabTo(checkBox(name))
    await owner.press('Space')
  }
}

/**
 * Creates an access token with the form of the open page. `number` counts the tokens that the page
 * has created, from 1. Returns the value of the token.
 */
async function create(number = 1): Promise<string> {
  const { owner, window } = opened()
  await owner.activate('Create the token')
  const value = window.page.getByRole('region', { name: `Token ${number}:` })
  await value.waitFor()
  return value.locator('pre').innerText()
}

/** Calls the API with an access token. Returns the status and the message of the response. */
async function call(token: string, path: string, method = 'GET') {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${opened().world.url}${path}`, { method, headers })
  const { message } = (await response.json()) as { message?: string }
  return [response.status, message] as const
}

testInBrowser(
  'tokens: a token with rights of the grid may call the listed operations and no others',
  async () => {
    const { world, owner, window } = opened()
    const { page } = window
    await owner.open('t', 'Tokens')
    await owner.tabTo(page.getByRole('link', { name: 'Create a token' }))
    await owner.press('Enter')
    await owner.heading('Create a token')
    await owner.type('Description', 'Reports')
    const list = page.getByRole('list', { name: 'Operations' })
    await list.getByText('/v1/settings').waitFor()
    await press('All rows: read')
    await page.getByText('The token may call 0 of').waitFor()
    await press('Account: read', 'Outbox: read')
    expect(await checkBox('All rows: read').evaluate((box) => box.matches(':indeterminate'))).toBe(
      true,
    )
    await list.getByText('GET /v1/outbox', { exact: true }).waitFor()
    expect(await list.getByText('/v1/settings').count()).toBe(0)
    expect(await list.getByText('DELETE').count()).toBe(0)
    expect([...(await window.violations()), ...(await seriousFindings(page))]).toEqual([])

    const token = await create()
    expect((await call(token, '/v1/accounts'))[0]).toBe(200)
    expect((await call(token, '/v1/outbox'))[0]).toBe(200)
    const refused = [403, 'Unauthorized permission']
    expect(await call(token, '/v1/templates')).toEqual(refused)
    expect(await call(token, '/v1/settings?notifyText=true')).toEqual(refused)
    expect(await call(token, '/v1/outbox/q1', 'DELETE')).toEqual(refused)
    const { tokens } = await world.posthorn.listTokens({ query: 'Reports' })
    expect(tokens[0]?.permissions).toEqual({ actions: ['read'], groups: ['account', 'outbox'] })
    await page.reload()
    await untilLoaded(page)
    expect(await page.content()).not.toContain(token)
  },
  journeyMs,
)

testInBrowser(
  'tokens: a choice that also permits other rights is explained and not created',
  async () => {
    const { world, owner, window } = opened()
    const { page } = window
    await openForm()
    await owner.type('Description', 'Two groups')
    await press('All rows: read', 'Account: read', 'Outbox: write')
    await page.getByText('With this choice the token would also permit:').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Account: write' }).waitFor()
    await owner.activate('Create the token')
    await page.getByText('The token would also permit rights that are not chosen.').waitFor()
    expect((await world.posthorn.listTokens({ query: 'Two groups' })).total).toBe(0)

    await owner.activate('Choose these rights too')
    await untilFocused(page.getByRole('region', { name: 'Permitted operations' }))
    expect(await checkBox('Account: write').isChecked()).toBe(true)
    expect(await checkBox('Outbox: read').isChecked()).toBe(true)
    await create()
    const { tokens } = await world.posthorn.listTokens({ query: 'Two groups' })
    expect(tokens[0]?.permissions).toEqual({
      actions: ['read', 'write'],
      groups: ['account', 'outbox'],
    })
  },
  journeyMs,
)

testInBrowser(
  'tokens: account, client addresses and rate limit of the form restrict the token',
  async () => {
    const { world, owner, window } = opened()
    const { page } = window
    for (const account of ['anna', 'ben'])
      await world.posthorn.createAccount({ body: { account, name: account } })
    const fill = async (fields: Record<string, string>) => {
      await openForm()
      await press('All rows: read', 'Account: read')
      for (const [label, text] of Object.entries(fields)) await owner.type(label, text)
    }
    await fill({ Description: 'Bound', 'Account id': 'anna', 'Rate limit: requests': '3' })
    await page.getByText('for the account anna only').waitFor()
    await owner.activate('Create the token')
    await page.getByText('A rate limit needs a number of requests and a time window.').waitFor()
    await owner.type('Rate limit: time window', '31536000')
    const bound = await create()
    expect((await call(bound, '/v1/account/anna'))[0]).toBe(200)
    const otherAccount = [403, 'Unauthorized account']
    expect(await call(bound, '/v1/account/ben')).toEqual(otherAccount)
    expect(await call(bound, '/v1/accounts')).toEqual(otherAccount)
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await call(bound, '/v1/account/anna'))[0])
    expect(statuses).toEqual([200, 200, 429])

    await fill({ Description: 'Elsewhere', 'Client addresses': '192.0.2.1, 198.51.100.0/24' })
    expect(await call(await create(), '/v1/account/anna')).toEqual([403, 'Unauthorized address'])
    await fill({ Description: 'Pages', Referrers: 'https://crm.example/*' })
    expect(await call(await create(), '/v1/account/anna')).toEqual([403, 'Unauthorized referrer'])
    expect(window.errors()).toEqual([])
  },
  journeyMs,
)

testInBrowser(
  'tokens: values of created tokens stay on the page until the page is left',
  async () => {
    const { world, owner, window } = opened()
    const { page } = window
    await openForm()
    await owner.type('Description', 'Earlier')
    // The owner may not read mail, and therefore creates no token with the right to read mail.
    await press('All rows: read', 'Account: read')
    const earlier = await create()
    await page.getByText('Copy the value now.').waitFor()
    await owner.type('Description', 'Later')
    const later = await create(2)
    await page.getByText('Copy the 2 values now.').waitFor()
    expect(later).not.toBe(earlier)
    // The page shows the values of the created tokens, the newest value first.
    expect(await page.locator('main pre').allInnerTexts()).toEqual([later, earlier])
    // After a failed creation of a token, the page still shows the values of the earlier tokens.
    await owner.type('Rate limit: requests', '3')
    await owner.activate('Create the token')
    await page.getByText('A rate limit needs a number of requests and a time window.').waitFor()
    expect(await page.locator('main pre').allInnerTexts()).toEqual([later, earlier])
    expect([...(await window.violations()), ...(await seriousFindings(page))]).toEqual([])
    expect((await world.posthorn.listTokens({ query: 'Earlier' })).total).toBe(1)

    await owner.open('t', 'Tokens')
    await openForm()
    expect(await page.locator('main pre').count()).toBe(0)
  },
  journeyMs,
)
