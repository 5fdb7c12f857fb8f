import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local/paths'
import { hasBrowser, isFullFaultRun, testBrowser } from '@posthorn/testkit'
import {
  type Browser,
  callFromPage,
  join as joinPage,
  type Page,
  setUpOwner,
  startAdminWorld,
} from './admin-world.ts'
import { compactPng } from './compact-png.ts'
import { untilLoaded } from './page-window.ts'
import { failingAccount, fillForPictures, routeFunctions, targetUrl } from './picture-data.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const service = join(checkout, 'services/admin-ui')
/** With POSTHORN_SCREENSHOTS=write, the pictures in `services/admin-ui/images` are replaced. */
const isWritten = process.env['POSTHORN_SCREENSHOTS'] === 'write'
const size = { width: 1280, height: 800 }
const maxBytes = 150_000
const themes = ['light', 'dark'] as const
/** True if each picture is taken in both themes, as in `make test-faults`. */
const inBothThemes = isWritten || isFullFaultRun
/** Pictures in the dark theme in all runs: drawings, a code editor and a table. */
const darkPictures: readonly string[] = ['dashboard', 'route', 'accounts']

/** Screenshots by the names of their files, with the administration pages that they show. */
const pictures: readonly (readonly [name: string, path: string])[] = [
  ['dashboard', '/'],
  ['accounts', '/accounts'],
  ['account', `/accounts/${failingAccount}`],
  ['outbox', '/outbox'],
  ['deliveries', '/deliveries'],
  ['events', '/events'],
  ['route', '/routes/invoices'],
  ['audit', '/audit'],
]

/** Starts the system with data, and people whose actions are in the audit log. */
async function openStage() {
  const world = stack.use(
    await startAdminWorld([], {
      settings: { serviceUrl: 'https://mail.example.com', webhooks: targetUrl },
      envByService: { 'admin-ui': { SVC_TRUSTED_PROXIES: '127.0.0.1' } },
    }),
  )
  await fillForPictures(world.ownerUrl)
  await world.posthorn.createWebhookRoute({
    body: { id: 'invoices', name: 'Invoices', targetUrl, content: routeFunctions },
  })
  const browser = stack.use(await testBrowser())
  const page = await openAt(browser, '203.0.113.10')
  await setUpOwner(page, world)
  await act(browser, page)
  const blank = await browser.openWindow(size)
  return { pagesUrl: world.pagesUrl, page, blank }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

/** Opens a browser window whose requests come from a network address. */
async function openAt(browser: Browser, address: string): Promise<Page> {
  const page = await browser.openWindow(size)
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': address })
  return page
}

/** Lets an owner and an invited person do actions that the audit log records. */
async function act(browser: Browser, owner: Page): Promise<void> {
  const guest = await openAt(browser, '198.51.100.24')
  const email = 'support@example.com'
  await joinPage(owner, guest, { email, role: 'support', mayReadMail: true })
  const call = async (page: Page, request: Parameters<typeof callFromPage>[1]) => {
    const reply = await callFromPage(page, request)
    if (reply.status >= 300)
      throw new Error(`${request.path}: ${reply.status} ${JSON.stringify(reply)}`)
  }
  const account = `/admin/call/v1/account/${failingAccount}`
  const names = { name: 'Billing, Hotel', email: 'billing@hotel.example' }
  await call(owner, { method: 'PUT', path: account, body: names })
  const settings = { method: 'POST', path: '/admin/call/v1/settings' }
  await call(owner, { ...settings, body: { pageBrandName: 'Example Hotel' } })
  const reason = 'Ticket 4711: an invoice is missing'
  await call(guest, { method: 'POST', path: '/admin/session/mail-reading', body: { reason } })
  const refused = { ...settings, body: { pageBrandName: 'x' } }
  expect((await callFromPage(guest, refused)).status).toBe(403)
  await guest.context().close()
}

/** Folder for the screenshots: `images` of admin-ui, or a temporary folder. */
async function createFolder(): Promise<string> {
  if (isWritten) {
    const folder = join(service, 'images')
    await mkdir(folder, { recursive: true })
    return folder
  }
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-pictures-'))
  stack.defer(() => rm(folder, { recursive: true }))
  return folder
}
const folder = hasBrowser() ? await createFolder() : ''

/**
 * Waits until the administration page shows its drawings and editors, and scrolls to the first
 * editor.
 */
async function untilDrawn(page: Page, name: string): Promise<void> {
  await untilLoaded(page)
  const drawings: Readonly<Record<string, string>> = { dashboard: 'canvas', route: '.cm-content' }
  const selector = drawings[name]
  if (selector !== undefined) await page.locator(selector).nth(1).waitFor()
  if (name === 'route') await page.locator('.cm-content').first().scrollIntoViewIfNeeded()
  await page.evaluate(`document.fonts.ready
    .then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    .then(() => undefined)`)
}

/** All texts of an administration page, with the values of its form fields. */
function textOf(page: Page): Promise<string> {
  return page.evaluate<string>(`[document.body.innerText, ...[...document.querySelectorAll('input, textarea')]
    .map(({ value }) => value)].join(' ')`)
}

/** Measures a screenshot in a blank browser page. Brightness is from 0 (black) to 1 (white). */
function measurePicture(blank: Page, png: Buffer) {
  return blank.evaluate<{ width: number; height: number; colours: number; brightness: number }>(
    `(async () => {
      const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (text) => text.charCodeAt(0))
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const { width, height } = bitmap
      const context = new OffscreenCanvas(width, height).getContext('2d')
      context.drawImage(bitmap, 0, 0)
      const { data } = context.getImageData(0, 0, width, height)
      const colours = new Set()
      let sum = 0
      for (let at = 0; at < data.length; at += 4) {
        colours.add(data[at] * 65536 + data[at + 1] * 256 + data[at + 2])
        sum += data[at] + data[at + 1] + data[at + 2]
      }
      const brightness = sum / (width * height * 3 * 255)
      return { width, height, colours: colours.size, brightness }
    })()`,
  )
}

/** Names of this machine, which no screenshot may show. */
const machineNames = ['127.0.0.1', 'localhost', hostname()]

testInBrowser.each(pictures)(
  'picture %s: shows the page in its themes, is small, and names no machine',
  async (name, path) => {
    const { pagesUrl, page, blank } = opened()
    const isDark = inBothThemes || darkPictures.includes(name)
    for (const theme of isDark ? themes : (['light'] as const)) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.goto(`${pagesUrl}/admin${path}`)
      await untilDrawn(page, name)
      expect(await page.getByRole('alert').count()).toBe(0)
      const words = new Set((await textOf(page)).split(/[^\w.-]+/))
      expect(machineNames.filter((each) => words.has(each))).toEqual([])
      const png = compactPng(await page.screenshot({ type: 'png' }))
      await writeFile(join(folder, `${name}-${theme}.png`), png)
      expect(png.length).toBeLessThan(maxBytes)
      const { colours, brightness, ...shown } = await measurePicture(blank, png)
      expect(shown).toEqual(size)
      // A screenshot with smoothed letters and badges has many colours, an empty page has few.
      expect(colours).toBeGreaterThan(100)
      if (theme === 'light') expect(brightness).toBeGreaterThan(0.8)
      else expect(brightness).toBeLessThan(0.3)
    }
  },
)

test('README of admin-ui: shows each picture in both themes, and each file is a small PNG', async () => {
  const readme = await readFile(join(service, 'README.md'), 'utf8')
  for (const name of pictures.map(([each]) => each))
    for (const theme of themes) {
      const path = `images/${name}-${theme}.png`
      expect(readme).toContain(`="${path}"`)
      const file = await readFile(join(service, path))
      expect(file.subarray(1, 4).toString('latin1')).toBe('PNG')
      expect(file.length).toBeLessThan(maxBytes)
    }
})
