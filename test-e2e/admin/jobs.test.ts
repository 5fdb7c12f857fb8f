import { afterAll, expect, test } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { hasBrowser, testBrowser } from '@posthorn/testkit'
import { join, type Page, setUpOwner, startAdminWorld } from './admin-world.ts'
import { seriousFindings, untilFocused, untilLoaded } from './page-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Maximum duration of a test that uses several pages, on a busy machine. */
const testMs = 300_000
const size = { width: 1280, height: 900 }

/**
 * Starts the system with an account, a message in the outbox and two unfinished jobs, and signs in
 * an owner, an auditor and a person of the role support.
 */
async function openStage() {
  const world = stack.use(await startAdminWorld(['sender']))
  const smtp = { host: 'smtp.example.com', port: 465, auth: { user: 'anna', pass: 'secret' } }
  const anna = { account: 'anna', name: 'Anna', email: 'anna@example.com', smtp }
  await world.posthorn.createAccount({ body: anna })
  const sendAt = new Date(Date.now() + 86_400_000).toISOString()
  const to = [{ address: 'ben@customer.example' }]
  await world.posthorn.submitMessage({
    account: 'anna',
    body: { to, subject: 'Hello', text: 'x', sendAt },
  })
  await addRunningJobs(world.ownerUrl, 'sync', 2)
  const browser = stack.use(await testBrowser())
  const owner = await browser.openWindow(size)
  await setUpOwner(owner, world)
  const [auditor, support] = [await browser.openWindow(size), await browser.openWindow(size)]
  await join(owner, auditor, { email: 'auditor@example.com', role: 'auditor' })
  await join(owner, support, { email: 'support@example.com', role: 'support' })
  return { world, people: { owner, auditor, support } }
}

/** Adds running bulk jobs on accounts. The claim of an absent replica keeps the jobs unfinished. */
async function addRunningJobs(ownerUrl: string, action: string, count: number): Promise<void> {
  await withClient(ownerUrl, (client) =>
    client.query(
      `insert into bulk_jobs (id, kind, action, state, total, created_at, started_at, claim,
         lease_until)
       select gen_random_uuid(), 'accounts', $1, 'running', 10,
         now() + n * interval '1 millisecond', now(), gen_random_uuid(), now() + interval '1 day'
       from generate_series(1, $2::integer) as n`,
      [action, count],
    ),
  )
}

const stage = hasBrowser() ? await openStage() : undefined
function opened() {
  if (!stage) throw new Error('no browser')
  return stage
}

/** Opens an administration page in the window of a person, and waits until the page has data. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${opened().world.pagesUrl}/admin${path}`)
  await untilLoaded(page)
}

/** Selects the row that contains a text in the list of an administration page. */
async function select(page: Page, text: string): Promise<void> {
  await page.getByRole('row').filter({ hasText: text }).locator('label').first().click()
}

/** Texts of the buttons that an administration page offers for a selection of list entries. */
async function buttonsOf(page: Page, selection: string): Promise<string[]> {
  const panel = page.getByRole('region', { name: selection, exact: true })
  await panel.waitFor()
  return panel.getByRole('button').allInnerTexts()
}

const cancelButtons = (page: Page) => page.getByRole('button', { name: 'Cancel the job' })

/**
 * Waits until the page shows the bulk jobs. Before, a missing button says nothing about
 * permissions.
 */
async function untilJobsShown(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Sync accounts', exact: true }).waitFor()
}

testInBrowser(
  'auditor: the lists have no selection and no buttons for jobs',
  async () => {
    const { auditor } = opened().people
    for (const path of ['/accounts', '/outbox']) {
      await open(auditor, path)
      if (path === '/accounts') await untilJobsShown(auditor)
      expect(await auditor.getByRole('checkbox').count()).toBe(0)
      await auditor.keyboard.press('j')
      await auditor.keyboard.press('x')
      expect(await auditor.getByRole('heading', { name: /selected$/ }).count()).toBe(0)
      const texts = await auditor.locator('main').getByRole('button').allInnerTexts()
      const jobs = /Reconnect|Sync|Rebuild|Delete|Cancel|Hold|Release|Send|Select/
      expect(texts.filter((text) => jobs.test(text))).toEqual([])
    }
  },
  testMs,
)

testInBrowser.each([
  ['support', [], []],
  ['owner', ['Rebuild indexes', 'Delete 1 account'], ['Cancel 1 message']],
] as const)(
  '%s: the selections have buttons for the permitted jobs only',
  async (role, onAccounts, onOutbox) => {
    const page = opened().people[role]
    await open(page, '/accounts')
    await select(page, 'Anna')
    const common = ['Reconnect', 'Sync', ...onAccounts, 'Clear the selection']
    expect(await buttonsOf(page, '1 account selected')).toEqual(common)
    await untilJobsShown(page)
    expect(await cancelButtons(page).count()).toBe(2)

    await open(page, '/outbox')
    const row = page.getByRole('row').filter({ hasText: 'ben@customer.example' })
    const cancel = row.getByRole('button', { name: 'Cancel', exact: true })
    expect(await cancel.count()).toBe(onOutbox.length)
    await select(page, 'ben@customer.example')
    const queued = ['Hold', 'Release', 'Send now', ...onOutbox, 'Clear the selection']
    expect(await buttonsOf(page, '1 message selected')).toEqual(queued)
  },
  testMs,
)

testInBrowser(
  'jobs with the same action have different names, and their end is announced',
  async () => {
    const { support } = opened().people
    await open(support, '/accounts')
    await untilJobsShown(support)
    for (const name of ['Sync accounts', 'Sync accounts, job 2']) {
      const job = support.getByRole('region', { name, exact: true })
      const progress = { name: `Progress of the job: ${name}`, exact: true }
      await job.getByRole('progressbar', progress).waitFor()
      await job.getByText('Running: 0 of 10 done.').waitFor()
      // The progress of a bulk job is no status message, so that screen readers do not read each
      // change.
      expect(await job.getByRole('status').count()).toBe(0)
    }
    const name = 'Cancel the job: Sync accounts, job 2'
    await support.getByRole('button', { name, exact: true }).press('Enter')
    await support
      .getByRole('status')
      .filter({ hasText: 'Job cancelled: Sync accounts, job 2, 0 of 10 done.' })
      .waitFor()
    await untilFocused(support.getByRole('heading', { name: 'Sync accounts, job 2', exact: true }))
    expect(await cancelButtons(support).count()).toBe(1)
    expect(await seriousFindings(support)).toEqual([])
  },
  testMs,
)

testInBrowser(
  'the error of a failed start ends with the selection',
  async () => {
    const { world, people } = opened()
    // The API refuses a further bulk job while 10 jobs are unfinished.
    await addRunningJobs(world.ownerUrl, 'logs', 10)
    await open(people.support, '/accounts')
    await select(people.support, 'Anna')
    const panel = people.support.getByRole('region', { name: '1 account selected' })
    await panel.getByRole('button', { name: 'Reconnect' }).click()
    await panel.getByRole('alert').waitFor()
    await panel.getByRole('button', { name: 'Clear the selection' }).click()
    await untilFocused(people.support.getByRole('region', { name: 'List of accounts' }))
    expect(await people.support.getByRole('alert').count()).toBe(0)
    await select(people.support, 'Anna')
    await panel.waitFor()
    expect(await people.support.getByRole('alert').count()).toBe(0)
  },
  testMs,
)

const createPages = [
  '/add-account',
  '/add-gateway',
  '/add-oauth2-app',
  '/create-route',
  '/create-template',
  '/create-token',
]

testInBrowser.each(['auditor', 'support'] as const)(
  '%s: pages that create entries name the missing right and have no form',
  async (role) => {
    const page = opened().people[role]
    for (const path of createPages) {
      await open(page, path)
      const text = `The role ${role} lacks the right to use this page.`
      await page.getByRole('alert').filter({ hasText: text }).waitFor()
      expect([path, await page.locator('main form').count()]).toEqual([path, 0])
    }
    expect(await seriousFindings(page)).toEqual([])
  },
  testMs,
)

/** Number of accounts on each page of the list of accounts. */
const pageSize = 50

/** Creates accounts whose names begin with `more-`. */
async function addAccounts(count: number): Promise<void> {
  await withClient(opened().world.ownerUrl, (client) =>
    client.query(
      `insert into accounts (account, shard, name)
       select 'more-' || n, n % 256, 'more-' || n from generate_series(1, $1::integer) as n`,
      [count],
    ),
  )
}

testInBrowser(
  'more than 1,000 accounts that are selected one by one have a message and no jobs',
  async () => {
    const { support } = opened().people
    await addAccounts(1_001)
    await open(support, '/accounts?query=more-')
    const selected = (text: string) =>
      support.getByRole('heading', { name: `${text} selected`, exact: true })
    const sync = support.getByRole('button', { name: 'Sync', exact: true })
    const selectPage = () => support.getByRole('row').first().locator('label').first().click()
    for (let count = pageSize; count <= 1_000; count += pageSize) {
      await selectPage()
      await selected(`${count} accounts`).waitFor()
      await support.getByRole('button', { name: 'Next', exact: true }).click()
      await support.getByText(`page ${count / pageSize + 1} of 21`).waitFor()
      await untilLoaded(support)
    }
    await sync.waitFor()
    await selectPage()
    await selected('1001 accounts').waitFor()
    const problem = support.getByRole('alert').filter({ hasText: 'at most 1,000 accounts' })
    await problem.waitFor()
    expect(await sync.count()).toBe(0)
    await support.getByRole('button', { name: 'Select all 1001 that match' }).click()
    await selected('All 1001 accounts').waitFor()
    await sync.waitFor()
    expect(await problem.count()).toBe(0)
  },
  testMs,
)
