import { afterAll, expect, test } from '@jest/globals'
import { eventually, hasBrowser, testBrowser } from '@posthorn/testkit'
import { setUpOwner, startAdminWorld } from './admin-world.ts'
import { openPageWindow, seriousFindings, untilFocused, untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Starts the system without a sync-worker, so that no account connects. */
async function openStage() {
  const world = stack.use(await startAdminWorld(['sender']))
  for (let n = 0; n < 60; n += 1)
    await world.posthorn.createAccount({ body: { account: `old-${n}`, name: `Old ${n}` } })
  const smtp = { host: 'smtp.example.com', port: 465, auth: { user: 'kept', pass: 'secret' } }
  const email = 'kept@example.com'
  await world.posthorn.createAccount({ body: { account: 'kept', name: 'Kept', email, smtp } })
  const browser = stack.use(await testBrowser())
  const window = await openPageWindow(browser, { width: 1280, height: 900 }, world.pagesUrl)
  await setUpOwner(window.page, world)
  return { world, window }
}
const stage = hasBrowser() ? await openStage() : undefined
function opened() {
  if (!stage) throw new Error('no browser')
  const { world, window } = stage
  const open = async (path: string) => {
    await window.page.goto(`${world.pagesUrl}/admin${path}`)
    await untilLoaded(window.page)
  }
  const select = (text: string) =>
    window.page.getByRole('row').filter({ hasText: text }).first().locator('label').first()
  return { ...stage, page: window.page, open, select }
}

testInBrowser('accounts: a part of a worker id has a message and no Select all', async () => {
  const { page, open, select } = opened()
  await open('/accounts?worker=3f0c2c1e')
  const worker = page.getByLabel('Worker', { exact: true })
  const problem = page.getByText('Not a whole id. The list is not filtered by worker.')
  await problem.waitFor()
  expect(await worker.getAttribute('aria-invalid')).toBe('true')
  const status = page.getByRole('status').filter({ hasText: 'is not a whole id' })
  await status.waitFor({ state: 'attached' })
  await page.getByText('61 accounts, page 1 of 2').waitFor()
  await select('Old 0').click()
  const selected = page.getByRole('heading', { name: '1 account selected' })
  const selectAll = page.getByRole('button', { name: 'Select all 61 that match' })
  await selected.waitFor()
  expect(await selectAll.count()).toBe(0)
  expect(await seriousFindings(page)).toEqual([])

  await worker.fill('')
  await problem.waitFor({ state: 'detached' })
  await selected.waitFor({ state: 'detached' })
  await select('Old 0').click()
  await selectAll.click()
  await page.getByRole('heading', { name: 'All 61 accounts selected' }).waitFor()
  // A change of the filter by worker ends the selection of all accounts in the list.
  await worker.fill('3f')
  await problem.waitFor()
  expect(await page.getByRole('heading', { name: /selected$/ }).count()).toBe(0)
})

testInBrowser('accounts: buttons pass the focus on, and counts are announced', async () => {
  const { page, open, select } = opened()
  await open('/accounts')
  await select('Old 0').click()
  const announced = (text: string) =>
    page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
  await announced('1 account selected')
  await page.getByRole('button', { name: 'Select all 61 that match' }).press('Enter')
  await untilFocused(page.getByRole('heading', { name: 'All 61 accounts selected' }))
  await announced('All 61 accounts selected')
  await page.getByRole('button', { name: 'Clear the selection' }).press('Enter')
  await untilFocused(page.getByRole('region', { name: 'List of accounts' }))
})

testInBrowser('accounts: all that match a search are deleted by a job, on all pages', async () => {
  const { world, page, open, select } = opened()
  await open('/accounts?query=OLD-')
  await select('Old 0').click()
  await page.getByRole('heading', { name: '1 account selected' }).waitFor()
  await page.getByRole('button', { name: 'Select all 60 that match' }).click()
  await page.getByRole('heading', { name: 'All 60 accounts selected' }).waitFor()
  expect(await seriousFindings(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete 60 accounts' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel('Type 60 to confirm').fill('60')
  await dialog.getByRole('button', { name: 'Delete 60 accounts' }).click()
  await page.getByText('Ended: 60 of 60 done.').waitFor()
  await page.getByText('No account matches the filters.').waitFor()
  const { accounts } = await world.posthorn.listAccounts()
  expect(accounts.map(({ account }) => account)).toEqual(['kept'])
})

testInBrowser('accounts: a changed filter ends the selection', async () => {
  const { page, open, select } = opened()
  await open('/accounts')
  await select('Kept').click()
  const selected = page.getByRole('heading', { name: '1 account selected' })
  await selected.waitFor()
  const search = page.getByLabel('Search')
  await search.fill('k')
  await selected.waitFor({ state: 'detached' })
  // The account is still not selected when the list shows it again, with the earlier filter.
  await search.fill('')
  await eventually(() => !new URL(page.url()).search.includes('k'))
  await untilLoaded(page)
  expect(await selected.count()).toBe(0)
  const row = page.getByRole('row').filter({ hasText: 'Kept' })
  await eventually(async () => expect(await row.getByRole('checkbox').isChecked()).toBe(false))
})

testInBrowser('outbox: all messages that match a search are held by a job', async () => {
  const { world, page, open, select } = opened()
  const sendAt = new Date(Date.now() + 86_400_000).toISOString()
  for (const name of ['ben', 'ben', 'cleo'])
    await world.posthorn.submitMessage({
      account: 'kept',
      body: { to: [{ address: `${name}@customer.example` }], subject: 'Hello', text: 'x', sendAt },
    })
  await open('/outbox?query=BEN@')
  await page.getByText('2 messages').waitFor()
  await select('ben@').click()
  await page.getByRole('button', { name: 'Select all 2 that match' }).click()
  await page.getByRole('button', { name: 'Hold', exact: true }).first().click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Hold' }).click()
  await page.getByText('Ended: 2 of 2 done.').waitFor()
  await untilFocused(page.getByRole('region', { name: 'Messages of the outbox' }))
  const news = 'Job ended: Hold messages, 2 of 2 done.'
  await page.getByRole('status').filter({ hasText: news }).waitFor({ state: 'attached' })
  const states = async () => {
    const { messages } = await world.posthorn.listOutbox({})
    return messages.map(({ envelope, state }) => `${envelope.to.join()} ${state}`).toSorted()
  }
  const held = ['ben@customer.example held', 'ben@customer.example held']
  await eventually(async () =>
    expect(await states()).toEqual([...held, 'cleo@customer.example queued']),
  )
})
