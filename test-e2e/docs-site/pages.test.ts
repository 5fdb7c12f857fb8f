import { afterAll, expect, test } from '@jest/globals'
import { hasBrowser, testBrowser } from '@posthorn/testkit'
import { startWorld } from '../world.ts'
import { linksAndIds, seriousFindings, transferredBytes } from './page-findings.ts'
import { openSiteWindow } from './site-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { url } = stack.use(await startWorld({ names: ['api-gateway'] }))
const root = `${url}/docs/`
/** Maximum duration of the visit of all pages, which takes 1 min on an idle machine. */
const visitTimeoutMs = 600_000
/** Limit of a page with all that it loads, without the index of the search. */
const maxBytes = 100_000
const browser = hasBrowser() ? stack.use(await testBrowser()) : undefined
const window = (width: number) => {
  if (!browser) throw new Error('no browser')
  return openSiteWindow(browser, { width, height: 800 }, url)
}

/** Addresses of the pages that `llms.txt` lists, and of the home page. */
async function pageUrls(): Promise<string[]> {
  const response = await fetch(`${root}llms.txt`)
  if (!response.ok) throw new Error('the site has not been built: run `make docs`')
  const paths = [...(await response.text()).matchAll(/\]\(\/docs\/(.+)\.md\)/g)]
  return [root, ...paths.map(([, path]) => `${root}${path}/`)]
}
const pages = await pageUrls()

test('site: has pages, each also as Markdown', async () => {
  expect(pages.length).toBeGreaterThan(30)
  for (const page of pages.slice(1)) {
    const markdown = await fetch(page.replace(/\/$/, '.md'))
    expect([page, markdown.status, markdown.headers.get('content-type')]).toEqual([
      page,
      200,
      'text/markdown; charset=utf-8',
    ])
    expect(await markdown.text()).toMatch(/^# .+\n\n.+\.\n\n/)
  }
})

/** Visits all pages in a window. Returns what is wrong with them, and their links and anchors. */
async function visitPages(width: number, kind: 'all' | 'narrow') {
  const { page, foreignRequests, errors, violations } = await window(width)
  const problems: string[] = []
  const [links, anchors] = [new Set<string>(), new Set<string>()]
  for (const address of pages) {
    await page.goto(address)
    const findings = [...(await seriousFindings(page, kind)), ...(await violations())]
    const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
    if (isTooWide) findings.push('the page scrolls sideways')
    const bytes = await transferredBytes(page)
    if (bytes > maxBytes) findings.push(`the page transfers ${bytes} bytes`)
    problems.push(...findings.map((problem) => `${address} at ${width} px: ${problem}`))
    const parts = await linksAndIds(page)
    for (const link of parts.links) links.add(link)
    for (const id of parts.ids) anchors.add(`${address}#${id}`)
  }
  return { problems: [...problems, ...foreignRequests, ...errors], links, anchors }
}

testInBrowser(
  'pages, 1280 and 375 px wide: are accessible in both themes, small, and have no dead link',
  async () => {
    const [wide, narrow] = await Promise.all([visitPages(1280, 'all'), visitPages(375, 'narrow')])
    expect([...wide.problems, ...narrow.problems]).toEqual([])
    expect(await deadLinks(wide.links, wide.anchors)).toEqual([])
  },
  visitTimeoutMs,
)

/** Links to this host that lead nowhere. `anchors` are the anchors of all pages. */
async function deadLinks(links: Set<string>, anchors: Set<string>): Promise<string[]> {
  const own = [...links].filter((link) => link.startsWith(`${url}/`)).map((link) => new URL(link))
  const addresses = [...new Set(own.map(({ origin, pathname }) => origin + pathname))]
  const responses = await Promise.all(
    addresses.map(async (address) => [address, (await fetch(address)).status] as const),
  )
  const isAnchor = ({ origin, pathname, hash }: URL) =>
    hash === '' || hash === '#_top' || anchors.has(origin + pathname + decodeURIComponent(hash))
  return [
    ...responses.filter(([, status]) => status !== 200).map(([address]) => address),
    ...own.filter((link) => !isAnchor(link)).map(({ href }) => href),
  ]
}

testInBrowser('search: finds an operation by its name, by keyboard alone', async () => {
  const { page, errors, violations, foreignRequests } = await window(1280)
  await page.goto(root)
  const input = page.locator('#starlight__search input')
  await input.waitFor({ state: 'attached' })
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
  await page.keyboard.press('Control+k')
  await input.waitFor()
  await page.keyboard.type('Submit a message')
  const result = page.locator('#starlight__search a[href*="/docs/reference/operations/"]').first()
  await result.waitFor()
  expect(await page.locator('#starlight__search').textContent()).toContain('Submit a message')
  await result.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/reference/operations/**')
  expect([errors, await violations(), foreignRequests]).toEqual([[], [], []])
})

testInBrowser('theme: the choice of a reader stays on the next page', async () => {
  const { page } = await window(1280)
  await page.goto(root)
  const theme = () => page.evaluate('document.documentElement.dataset.theme')
  await page.locator('starlight-theme-select select:visible').first().selectOption('dark')
  expect(await theme()).toBe('dark')
  await page.goto(pages[1] ?? root)
  expect(await theme()).toBe('dark')
})

testInBrowser('unknown path: 404 with the page of the site', async () => {
  const { page, violations } = await window(375)
  const response = await page.goto(`${root}nothing/`)
  expect(response?.status()).toBe(404)
  expect(await page.locator('h1').textContent()).toBe('404')
  expect(await seriousFindings(page, 'all')).toEqual([])
  expect(await violations()).toEqual([])
})
