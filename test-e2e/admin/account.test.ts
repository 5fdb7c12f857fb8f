import { afterAll, expect, test } from '@jest/globals'
import { eventually, hasBrowser, testBrowser } from '@posthorn/testkit'
import { untilConnected } from '../world.ts'
import { callFromPage, type Page, setUpOwner, startAdminWorld } from './admin-world.ts'
import { openPageWindow, seriousFindings, untilLoaded, untilShown } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/**
 * Starts the system with a connected account, and signs in an owner of the administration pages who
 * may read mail.
 */
async function openStage() {
  const world = stack.use(await startAdminWorld(['auth-bridge', 'sync-worker']))
  const user = world.mail.freshUser()
  await world.register('jane/doe', user)
  await untilConnected(world, 'jane/doe')
  const browser = stack.use(await testBrowser())
  const window = await openPageWindow(browser, { width: 1280, height: 900 }, world.pagesUrl)
  await setUpOwner(window.page, world)
  const { body } = await callFromPage(window.page, { path: '/admin/session' })
  const { id } = body['person'] as { id: string }
  const calls = [
    { method: 'PUT', path: `/admin/people/${id}`, body: { mayReadMail: true } },
    { method: 'POST', path: '/admin/session/mail-reading', body: { reason: 'ticket 7' } },
  ]
  for (const call of calls) await callFromPage(window.page, call)
  return { world, window, user }
}
const stage = hasBrowser() ? await openStage() : undefined
const account = 'jane/doe'
function opened() {
  if (!stage) throw new Error('no browser')
  const open = (page: Page, part: string) =>
    page.goto(`${stage.world.pagesUrl}/admin/accounts/${encodeURIComponent(account)}${part}`)
  return { ...stage, open }
}

testInBrowser('account: the parts are links, and the path to the page leads back', async () => {
  const { window, open } = opened()
  const { page } = window
  await open(page, '')
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
  const { window, open } = opened()
  const { page } = window
  await open(page, '')
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
  const { window, open, world, user } = opened()
  const { page } = window
  await open(page, '/settings')
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
  const { window, open, world } = opened()
  const { page } = window
  const paths = async () => {
    const { mailboxes } = await world.posthorn.listMailboxes({ account })
    return mailboxes.map(({ path, subscribed }) => `${path} ${subscribed}`)
  }
  await open(page, '/mailboxes')
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
  const { window, open, world } = opened()
  const { page } = window
  await open(page, '/log')
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

testInBrowser.each([
  ['light', 1280],
  ['dark', 320],
] as const)('account: accessible in the theme %s at %i px', async (colorScheme, width) => {
  const { window, open } = opened()
  const { page, violations } = window
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.setViewportSize({ width, height: 900 })
  for (const part of ['', '/settings', '/mailboxes', '/log']) {
    await open(page, part)
    await untilLoaded(page)
    const excess = await page.evaluate<number>(
      'Math.max(0, document.documentElement.scrollWidth - innerWidth)',
    )
    expect([part, await seriousFindings(page), excess, await violations()]).toEqual([
      part,
      [],
      0,
      [],
    ])
  }
  expect(window.errors()).toEqual([])
})
