import { afterAll, expect, test } from '@jest/globals'
import { eventually, hasBrowser, isFullFaultRun, testBrowser } from '@posthorn/testkit'
import { untilConnected } from '../world.ts'
import { callFromPage, join, type Page, setUpOwner, startAdminWorld } from './admin-world.ts'
import {
  openPageWindow,
  type PageWindow,
  seriousFindings,
  untilLoaded,
  untilShown,
} from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const remoteImage = 'https://images.invalid/1.png'
const script = '<script>window.hacked=1;top.hacked=1</script>'
/** HTML of a message that tries to run a script, to navigate, to send a form and to load files. */
const hostileHtml = `<p>Hello in HTML</p>${script}<img src="${remoteImage}" onerror="top.hacked=1">
<meta http-equiv="refresh" content="0;url=https://evil.invalid/"><link rel="stylesheet" href="https://evil.invalid/a.css">
<style>@import url(https://evil.invalid/b.css); p { background: url(https://evil.invalid/c.png) }</style>
<iframe src="https://evil.invalid/d"></iframe><svg onload="top.hacked=1"><image href="https://evil.invalid/e"/></svg>
<form action="https://evil.invalid/f"><button>Send</button></form>
<a href="https://evil.invalid/g">Plain link</a> <a href="https://evil.invalid/h" target="_top">Top link</a>`

/** Source of a message whose subject and sender contain markup. */
function source(subject: string): string {
  return [
    `From: "<img src=x onerror=window.hacked=1>${subject}" <sender@example.com>`,
    'To: jane@example.com',
    `Subject: <img src=x onerror=window.hacked=1> ${subject}`,
    `Message-ID: <${subject}@example.com>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=m',
    '',
    '--m',
    'Content-Type: multipart/alternative; boundary=a',
    '',
    '--a',
    'Content-Type: text/plain; charset=utf-8',
    '',
    `Hello in plain text ${script}`,
    '--a',
    'Content-Type: text/html; charset=utf-8',
    '',
    hostileHtml,
    '--a--',
    '--m',
    'Content-Type: text/html; name="<b>page</b>.html"',
    'Content-Disposition: attachment; filename="<b>page</b>.html"',
    '',
    script,
    '--m--',
    '',
  ].join('\r\n')
}

/** Account without messages, whose id contains a separator of paths. */
const account = 'jane/doe'

/** Starts the system with an account that has two messages, and an account without messages. */
async function openStage() {
  const world = stack.use(await startAdminWorld(['auth-bridge', 'sync-worker']))
  const user = world.mail.freshUser()
  for (const subject of ['first', 'second']) await world.mail.deliver(user.user, source(subject))
  await world.register('jane', user)
  const other = world.mail.freshUser()
  await world.register(account, other)
  for (const id of ['jane', account]) await untilConnected(world, id)
  await world.posthorn.createMailbox({ account: 'jane', body: { path: 'Invoices' } })
  const browser = stack.use(await testBrowser())
  const window = await openPageWindow(browser, { width: 1280, height: 900 }, world.pagesUrl)
  await setUpOwner(window.page, world)
  const { body } = await callFromPage(window.page, { path: '/admin/session' })
  const { id } = body['person'] as { id: string }
  const right = { method: 'PUT', path: `/admin/people/${id}`, body: { mayReadMail: true } }
  expect((await callFromPage(window.page, right)).status).toBe(204)
  return { world, browser, window, user: other }
}
const stage = hasBrowser() ? await openStage() : undefined
function opened() {
  if (!stage) throw new Error('no browser')
  const open = (page: Page, path: string) => page.goto(`${stage.world.pagesUrl}/admin${path}`)
  const openAccount = (page: Page, part: string) =>
    open(page, `/accounts/${encodeURIComponent(account)}${part}`)
  return { ...stage, open, openAccount }
}

/**
 * Gives the reason for reading mail on an administration page, and waits for the list of messages.
 */
async function startReading(page: Page): Promise<void> {
  await page.getByLabel('Reason').fill('ticket 7')
  await page.getByRole('button', { name: 'Read mail' }).click()
  await page.getByRole('table', { name: 'Messages' }).waitFor()
}

/** Expected errors of the browser: blocked links, a host without address, a refused frame. */
const refusals = [
  /Blocked opening 'https:\/\/evil\.invalid\/[gh]' in a new window/,
  /images\.invalid\/1\.png: Failed to load resource: net::ERR_NAME_NOT_RESOLVED/,
  /\/admin\/frame\/.*: Failed to load resource: .* status of 403/,
]

/** Fails if a script of a message has run, or if a page has logged an error. */
async function expectSound({ page, errors, violations }: PageWindow): Promise<void> {
  expect(await page.evaluate<unknown>('window.hacked')).toBeUndefined()
  const unexpected = errors().filter((text) => !refusals.some((refusal) => refusal.test(text)))
  expect([await violations(), unexpected]).toEqual([[], []])
}

testInBrowser('mail: needs a reason, and shows hostile messages as text', async () => {
  const { window, open } = opened()
  const { page } = window
  await open(page, '/accounts/jane/mail')
  await startReading(page)
  const mailboxes = page.getByRole('navigation', { name: 'Mailboxes' })
  for (const path of ['INBOX', 'Invoices']) await mailboxes.getByText(path).waitFor()
  await page.getByRole('link', { name: /> second/ }).click()
  await untilShown(page, 'Message')
  const text = await page.locator('main').innerText()
  expect(text).toContain('<img src=x onerror=window.hacked=1> second')
  expect(text).toContain(`Hello in plain text ${script}`)
  expect(text).toContain('<b>page</b>.html')
  expect(await page.locator('main img, main script').count()).toBe(0)
  await expectSound(window)
  expect(window.foreignRequests).toEqual([])
})

testInBrowser(
  'mail: the HTML cannot run scripts, navigate, send forms or load anything',
  async () => {
    const { window } = opened()
    const { page } = window
    await page.getByLabel('Show').selectOption('html')
    const frame = page.frameLocator('iframe')
    await frame.getByText('Hello in HTML').waitFor()
    const { pathname } = new URL(page.url())
    for (const name of ['Plain link', 'Top link']) await frame.getByText(name).click()
    expect(await frame.locator('script, meta[http-equiv], link, form, iframe, svg').count()).toBe(0)
    const shown = page.frames().find((each) => each.url().includes('/admin/frame/'))
    expect(shown?.url()).toMatch(/\/admin\/frame\/message\/jane\/[\w-]+$/)
    expect(new URL(page.url()).pathname).toBe(pathname)
    expect(page.context().pages()).toHaveLength(1)
    expect(window.foreignRequests).toEqual([])
    await expectSound(window)
  },
)

testInBrowser('mail: remote images are loaded on request, and nothing else', async () => {
  const { window } = opened()
  const { page } = window
  await page.getByText('Load remote images').click()
  await page.frameLocator('iframe').getByText('Hello in HTML').waitFor()
  await eventually(() => expect(window.foreignRequests).toEqual([remoteImage]))
  expect(await page.evaluate<unknown>('window.hacked')).toBeUndefined()
  window.foreignRequests.length = 0
})

testInBrowser('mail: only the pages of this origin can open the frame', async () => {
  const { window, world } = opened()
  const { page } = window
  const src = await page.locator('iframe').getAttribute('src')
  const direct = await page.context().newPage()
  const response = await direct.goto(`${world.pagesUrl}${src}`)
  expect(response?.status()).toBe(403)
  await direct.close()
  expect((await callFromPage(page, { path: src ?? '' })).status).toBe(403)
})

testInBrowser('mail: each read is in the audit log, with the reason', async () => {
  const { window } = opened()
  const path = '/admin/audit?operation=getMessage&account=jane'
  const done = { reason: 'ticket 7', outcome: 'done' }
  await eventually(async () => {
    const { body } = await callFromPage(window.page, { path })
    // The audit log has reads of the message's page, of its HTML, and of its HTML with remote
    // images.
    expect(body['entries']).toMatchObject([done, done, done])
  })
})

testInBrowser('mail: flags, attachment, search, move and deletion', async () => {
  const { window, open, world } = opened()
  const { page } = window
  await page.getByRole('button', { name: 'Mark as read' }).click()
  await page.getByRole('button', { name: 'Mark as unread' }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  expect((await download).suggestedFilename()).toContain('page')
  await page.getByLabel('Move to').selectOption('Invoices')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('table', { name: 'Messages' }).waitFor()
  await eventually(async () => {
    const { messages } = await world.posthorn.listMessages({ account: 'jane', path: 'Invoices' })
    expect(messages).toMatchObject([{ subject: expect.stringContaining('second') }])
  })
  await open(page, '/accounts/jane/mail?path=INBOX')
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing has this subject')
  await page.getByRole('button', { name: 'Search' }).last().click()
  await page.getByText('No message is in this mailbox, or matches the search.').waitFor()
  await page.getByRole('button', { name: 'All messages' }).click()
  await page.getByRole('link', { name: /> first/ }).waitFor()
  await untilLoaded(page)
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('button', { name: 'Delete 1 message' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete 1 message' }).click()
  await page.getByText('No message is in this mailbox, or matches the search.').waitFor()
  await expectSound(window)
})

testInBrowser('account: the parts are links, and the path to the page leads back', async () => {
  const { window, openAccount } = opened()
  const { page } = window
  await openAccount(page, '')
  const parts = page.getByRole('navigation', { name: 'Parts of the account' })
  for (const title of ['Mail', 'Settings', 'Mailboxes', 'Protocol log']) {
    await parts.getByRole('link', { name: title, exact: true }).click()
    await untilShown(page, title)
    expect(await parts.locator('[aria-current="page"]').allTextContents()).toEqual([title])
  }
  await page.locator('header').getByRole('link', { name: account }).click()
  await untilShown(page, account)
  await page.getByRole('link', { name: 'Audit log of this account' }).click()
  await untilShown(page, 'Audit log')
  expect(await page.getByLabel('Account', { exact: true }).inputValue()).toBe(account)
})

testInBrowser('account: the title changes together with the content of the page', async () => {
  const { window, openAccount } = opened()
  const { page } = window
  await openAccount(page, '')
  await page.getByText('Audit log of this account').waitFor()
  await page.evaluate(`{
    window.titles = new Set()
    new MutationObserver(() => {
      const isOverview = document.body.textContent.includes('Audit log of this account')
      if (isOverview) window.titles.add(document.querySelector('h1').textContent)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  }`)
  await page.getByRole('link', { name: 'Protocol log', exact: true }).click()
  await untilShown(page, 'Protocol log')
  expect(await page.evaluate<string[]>('[...window.titles]')).not.toContain('Protocol log')
})

testInBrowser('account settings: only changed members are stored, logins are tried', async () => {
  const { window, openAccount, world, user } = opened()
  const { page } = window
  await openAccount(page, '/settings')
  await page.getByLabel('Name', { exact: true }).fill('Jane <b>Changed</b>')
  expect(await page.getByLabel('IMAP password').inputValue()).toBe('')
  await page.getByLabel('IMAP password').fill('wrong')
  await page.getByRole('button', { name: 'Try before saving' }).click()
  await page.getByText(/IMAP login fails/).waitFor()
  await page.getByLabel('IMAP password').fill(user.pass)
  await page.getByRole('button', { name: 'Try before saving' }).click()
  await page.getByText(/IMAP login works/).waitFor()
  await page.getByLabel('IMAP password').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The account is changed.').waitFor()
  expect(await world.posthorn.getAccount({ account })).toMatchObject({
    name: 'Jane <b>Changed</b>',
    imap: { auth: { user: user.user, pass: '******' } },
  })
  await untilConnected(world, account)
  await page.getByLabel('Body of PUT').fill('{"locale":"de"}')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await eventually(async () =>
    expect(await world.posthorn.getAccount({ account })).toMatchObject({ locale: 'de' }),
  )
})

testInBrowser('mailboxes: create, unsubscribe, rename, and delete by typing the path', async () => {
  const { window, openAccount, world } = opened()
  const { page } = window
  const paths = async () => {
    const { mailboxes } = await world.posthorn.listMailboxes({ account })
    return mailboxes.map(({ path, subscribed }) => `${path} ${subscribed}`)
  }
  await openAccount(page, '/mailboxes')
  await page.getByLabel('Path').fill('Invoices')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('The mailbox Invoices exists now.').waitFor()
  const row = (path: string) => page.getByRole('row').filter({ hasText: path })
  await row('Invoices').getByRole('button', { name: 'Unsubscribe' }).click()
  await row('Invoices').getByRole('button', { name: 'Subscribe', exact: true }).waitFor()
  expect(await paths()).toContain('Invoices false')
  await row('Invoices').getByRole('button', { name: 'Rename' }).click()
  await page.getByLabel('New path').fill('Bills')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await row('Bills').getByRole('button', { name: 'Delete' }).click()
  const confirm = page.getByRole('alertdialog')
  expect(await confirm.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await confirm.getByLabel('Type Bills to confirm').fill('Bills')
  await confirm.getByRole('button', { name: 'Delete' }).click()
  await eventually(async () =>
    expect((await paths()).filter((path) => /Bills|Invoices/.test(path))).toEqual([]),
  )
  await confirm.waitFor({ state: 'detached' })
  await row('Bills').waitFor({ state: 'detached' })
})

testInBrowser('protocol log: is switched on, and shows the commands', async () => {
  const { window, openAccount, world } = opened()
  const { page } = window
  await openAccount(page, '/log')
  await page.getByText('Lines appear here while the recording is on.').waitFor()
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('button', { name: 'Switch off' }).waitFor()
  await world.posthorn.reconnectAccount({ account, body: { reconnect: true } })
  await eventually(async () => {
    await page.getByRole('button', { name: 'Read again', exact: true }).click()
    expect(await page.locator('pre').allInnerTexts()).toEqual([expect.stringContaining('C:')])
  })
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByRole('button', { name: 'Switch on' }).waitFor()
})

/** Themes and window widths of the list of messages and an open message. */
const looks = [
  ['light', 1280],
  ['dark', 320],
  ...(isFullFaultRun
    ? ([
        ['dark', 1280],
        ['light', 320],
      ] as const)
    : []),
] as const

testInBrowser.each(looks)(
  'mail: accessible in the theme %s at %i px',
  async (colorScheme, width) => {
    const { window, open } = opened()
    const { page } = window
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: 900 })
    await open(page, '/accounts/jane/mail?path=Invoices')
    await page.getByRole('table', { name: 'Messages' }).waitFor()
    const excess = () =>
      page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)')
    expect([await seriousFindings(page), await excess()]).toEqual([[], 0])
    await page.getByRole('link', { name: /> second/ }).click()
    await page.getByLabel('Show').selectOption('html')
    await page.frameLocator('iframe').getByText('Hello in HTML').waitFor()
    expect([await seriousFindings(page), await excess()]).toEqual([[], 0])
    await expectSound(window)
  },
)

testInBrowser(
  'mail: a person without the right sees no mail, and reads who gives the right',
  async () => {
    const { window, browser, open } = opened()
    const page = await browser.openWindow({ width: 1280, height: 900 })
    await join(window.page, page, { email: 'helper@example.com', role: 'support' })
    await open(page, '/accounts/jane/mail')
    await page.getByText('An owner permits reading mail on the page People').waitFor()
    expect(await page.getByRole('table').count()).toBe(0)
  },
)
