import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from '@jest/globals'
import { eventually, faultSize, hasBrowser, testBrowser } from '@posthorn/testkit'
import { untilConnected } from '../world.ts'
import { callFromPage, password, startAdminWorld } from './admin-world.ts'
import { KeyboardUser } from './keyboard.ts'
import { untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/**
 * Maximum duration of a test that follows one person through the administration pages, on a busy
 * machine.
 */
const journeyMs = 300_000
/**
 * Number of failed webhook deliveries that one replay by filter repeats. A page shows fewer
 * deliveries.
 */
const failedDeliveries = faultSize({ small: 60, full: 500 })
const wide = { width: 1280, height: 900 }

async function openStage() {
  const world = stack.use(
    await startAdminWorld(['auth-bridge', 'sync-worker', 'sender', 'webhook-dispatcher'], {
      settings: { ignoreMailCertErrors: true, webhooksRetrySchedule: [] },
    }),
  )
  await world.posthorn.updateSettings({ body: { serviceUrl: world.url } })
  const browser = stack.use(await testBrowser())
  const owner = new KeyboardUser(await browser.openWindow(wide))
  return { world, browser, owner }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

testInBrowser(
  'journey: sets up the first owner',
  async () => {
    const { world, owner } = opened()
    await owner.page.goto(world.setUpUrl)
    await owner.type('Email address', 'owner@example.com')
    await owner.type('Name', 'Olivia Owner')
    await owner.type('Password', password)
    await owner.press('Enter')
    await owner.heading('Your profile')
    await owner.page.getByText('owner@example.com').waitFor()
    // The set-up link of the first owner works once, also in another browser.
    const other = new KeyboardUser(await opened().browser.openWindow(wide))
    await other.page.goto(world.setUpUrl)
    await other.type('Email address', 'thief@example.com')
    await other.type('Name', 'Thief')
    await other.type('Password', password)
    await other.press('Enter')
    await other.page.getByRole('alert').waitFor()
    await other.page.goto(`${world.pagesUrl}/admin/`)
    await other.heading('Sign in')
    await other.page.context().close()
  },
  journeyMs,
)

testInBrowser(
  'journey: registers a mailbox, sees it connected, and reads its first message',
  async () => {
    const { world, owner } = opened()
    const { page } = owner
    const user = world.mail.freshUser()
    await owner.open('a', 'Accounts')
    await owner.tabTo(page.getByRole('link', { name: 'Add an account' }).first())
    await owner.press('Enter')
    await owner.heading('Add an account')
    await owner.type('Email address', user.address)
    await owner.type('Name', 'Jane Doe')
    await owner.type('Account id (optional)', 'jane')
    await owner.type('User name', user.user)
    await owner.type('Password', user.pass)
    for (const [name, port] of [
      ['IMAP', user.imapPort],
      ['SMTP', user.submissionPort],
    ] as const) {
      await owner.type(`${name} server`, user.host)
      await owner.type(`${name} port`, String(port))
      const tls = page.getByRole('checkbox', { name: `${name} uses TLS from the start` })
      await owner.tabTo(tls)
      await owner.press('Space')
      await eventually(async () => expect(await tls.isChecked()).toBe(false))
    }
    await owner.activate('Test the login')
    await page.getByText('IMAP login works. SMTP login works.').waitFor()
    await owner.activate('Add the account')
    await owner.heading('jane')
    await page.getByText('Connected', { exact: true }).waitFor()
    await untilConnected(world, 'jane')

    await permitReading(owner.page)
    await world.mail.deliver(user.user, 'From: ben@example.com\r\nSubject: Welcome\r\n\r\nHello')
    await owner.tabTo(page.getByRole('link', { name: 'Mail', exact: true }))
    await owner.press('Enter')
    await owner.type('Reason', 'First message of a new mailbox')
    await owner.activate('Read mail')
    await owner.tabTo(page.getByRole('link', { name: 'Welcome' }))
    await owner.press('Enter')
    await owner.heading('Message')
    await page.getByText('Hello', { exact: true }).waitFor()
  },
  journeyMs,
)

/** Gives the signed-in owner the right to read mail. */
async function permitReading(page: KeyboardUser['page']): Promise<void> {
  const { body } = await callFromPage(page, { path: '/admin/session' })
  const { id } = body['person'] as { id: string }
  const right = { method: 'PUT', path: `/admin/people/${id}`, body: { mayReadMail: true } }
  expect((await callFromPage(page, right)).status).toBe(204)
}

testInBrowser(
  'journey: finds why an account fails and creates a link for the owner of the mailbox',
  async () => {
    const { world, owner } = opened()
    const { page } = owner
    await world.register('failing', { ...world.mail.freshUser(), pass: 'wrong' })
    await eventually(async () => {
      const { state } = await world.posthorn.getAccount({ account: 'failing' })
      return state === 'authenticationError'
    })
    await owner.press('Control+k')
    await page.getByRole('dialog').locator('input:focus').waitFor()
    await page.keyboard.type('failing')
    await page
      .getByRole('menuitem', { name: /failing|Jane Doe/ })
      .first()
      .waitFor()
    await eventually(async () => {
      await owner.press('ArrowDown')
      const current = page.locator('[role="menuitem"][data-focused]')
      return /Account/.test(await current.innerText({ timeout: 1_000 }))
    })
    await owner.press('Enter')
    await owner.heading('failing')
    await page
      .getByRole('region', { name: 'State' })
      .getByText(/password|refuse/i)
      .first()
      .waitFor()
    await page.getByText('Text for the owner').waitFor()
    await owner.activate('Create a sign-in link')
    const link = page.locator('pre', { hasText: '/accounts/new?' })
    const url = await link.innerText()
    expect(url).toContain(world.url)
    expect((await fetch(url)).status).toBe(200)
  },
  journeyMs,
)

testInBrowser(
  'journey: holds and releases a message in the outbox',
  async () => {
    const { world, owner } = opened()
    const { page } = owner
    const { queueId = '' } = await world.posthorn.submitMessage({
      account: 'jane',
      body: {
        to: [{ address: 'ben@mail.test' }],
        subject: 'Hello',
        text: 'Hello',
        sendAt: new Date(Date.now() + 86_400_000).toISOString(),
      },
    })
    const stateOf = async () => (await world.posthorn.getOutboxEntry({ queueId })).state
    await owner.open('o', 'Outbox')
    await page.getByRole('cell', { name: 'ben@mail.test' }).waitFor()
    await owner.activate('Hold')
    await page.getByText('held', { exact: true }).last().waitFor()
    expect(await stateOf()).toBe('held')
    await owner.activate('Release')
    await page.getByRole('button', { name: 'Hold' }).waitFor()
    expect(await stateOf()).toBe('queued')
  },
  journeyMs,
)

testInBrowser(
  'journey: replays failed deliveries by a filter',
  async () => {
    const { world, owner } = opened()
    const { page } = owner
    const { posthorn, receiver } = world
    receiver.replyWith(() => ({ status: 500 }))
    const accounts = Array.from({ length: failedDeliveries }, (_, n) => `batch-${n}`)
    const add = (account: string) => posthorn.createAccount({ body: { account, name: '' } })
    for (let at = 0; at < accounts.length; at += 20)
      await Promise.all(accounts.slice(at, at + 20).map(add))
    const countFailed = async () => {
      const query = { event: 'accountAdded', state: 'failed', pageSize: 1_000 } as const
      const { deliveries, nextCursor } = await posthorn.listWebhookDeliveries(query)
      expect(nextCursor).toBeNull()
      return deliveries.length
    }
    await eventually(async () => (await countFailed()) >= failedDeliveries, { timeoutMs: 150_000 })
    const count = await countFailed()
    receiver.replyWith(() => ({}))
    const before = receiver.requests.length
    await owner.open('w', 'Deliveries')
    await owner.type('Event', 'accountAdded')
    await owner.choose('State', 'failed')
    await page.getByText('All failed deliveries with event accountAdded').waitFor()
    await owner.activate('Replay all that match')
    await owner.activate('Replay all that match', page.getByRole('alertdialog'))
    await page.getByText(`Done: ${count} deliveries are sent again.`).waitFor({ timeout: 150_000 })
    await eventually(
      () => {
        const again = receiver.requests.slice(before).map((request) => request.json())
        const names = new Set(again.map((event) => (event as { account: string }).account))
        return accounts.every((account) => names.has(account))
      },
      { timeoutMs: 150_000 },
    )
  },
  journeyMs,
)

testInBrowser(
  'journey: invites a support person, who sees no settings and cannot open a message',
  async () => {
    const { world, browser, owner } = opened()
    await owner.open('i', 'Invitations')
    await owner.type('Email address', 'support@example.com')
    await owner.choose('Role', 'support')
    await owner.activate('Create the invitation')
    const link = await owner.page.locator('pre', { hasText: '#token=' }).innerText()

    const support = new KeyboardUser(await browser.openWindow(wide))
    const { page } = support
    await page.goto(link)
    await page.getByText(/support@example\.com joins as support/).waitFor()
    await support.type('Name', 'Sam Support')
    await support.type('Password', password)
    await support.press('Enter')
    await support.heading('Your profile')
    const shown = await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link')
      .allInnerTexts()
    expect(shown).toEqual(expect.arrayContaining(['Accounts', 'Outbox', 'Deliveries']))
    for (const hidden of ['Settings', 'Tokens', 'People', 'Invitations', 'Audit log', 'Workers'])
      expect(shown).not.toContain(hidden)
    for (const title of shown) {
      await support.tabTo(page.getByRole('link', { name: title, exact: true }).first())
      await support.press('Enter')
      await support.heading(title)
      await untilLoaded(page)
      expect([title, await page.getByRole('alert').allInnerTexts()]).toEqual([title, []])
    }
    await support.open('a', 'Accounts')
    await page.getByRole('table', { name: 'Accounts' }).waitFor()
    await untilLoaded(page)
    await support.press('j', 'Enter')
    await page.getByRole('button', { name: 'Reconnect' }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete the account' }).count()).toBe(0)
    await page.goto(`${world.pagesUrl}/admin/settings`)
    await page.getByRole('alert').waitFor()

    const list = await callFromPage(owner.page, {
      path: '/admin/call/v1/account/jane/mailboxes',
    })
    expect(list.status).toBe(200)
    for (const path of [
      '/admin/call/v1/account/jane/messages?path=INBOX',
      '/admin/call/v1/account/jane/message/AAAAAQAAAAE',
      '/admin/call/v1/account/jane/message/AAAAAQAAAAE/source',
      '/admin/call/v1/logs/jane',
      '/admin/call/v1/settings',
      '/admin/call/v1/tokens',
      '/admin/people',
      '/admin/audit',
    ])
      expect([path, (await callFromPage(page, { path })).status]).toEqual([path, 403])
    const reading = {
      method: 'POST',
      path: '/admin/session/mail-reading',
      body: { reason: 'test' },
    }
    expect((await callFromPage(page, reading)).status).toBe(403)
  },
  journeyMs,
)

testInBrowser(
  'journey: downloads the audit log with the actions of all journeys',
  async () => {
    const { owner } = opened()
    await owner.open('l', 'Audit log')
    await owner.type('Operation', 'createWebhookReplay')
    await owner.page
      .getByRole('cell', { name: /createWebhookReplay/ })
      .first()
      .waitFor()
    await owner.type('Operation', '')
    await owner.tabTo(owner.page.getByRole('button', { name: 'Download as NDJSON' }))
    const started = owner.page.waitForEvent('download')
    await owner.press('Enter')
    const lines = (await text(await (await started).createReadStream())).trimEnd().split('\n')
    const operations = lines.map((line) => (JSON.parse(line) as { operation: string }).operation)
    expect(operations).toEqual(
      expect.arrayContaining([
        'setUp',
        'verifyAccount',
        'createAccount',
        'createAuthenticationForm',
        'holdOutboxEntry',
        'releaseOutboxEntry',
        'createWebhookReplay',
      ]),
    )
    expect(lines.join()).not.toContain(password)
  },
  journeyMs,
)
