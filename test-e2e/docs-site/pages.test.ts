import { afterAll, expect, test } from '@jest/globals'
import { hasBrowser, isFullFaultRun, testBrowser } from '@posthorn/testkit'
import { addAxe } from '../axe-findings.ts'
import { findNewLooks, newLookFindings } from '../new-looks.ts'
import { startWorld } from '../world.ts'
import {
  colourFindings,
  emptyRepeatedLooks,
  findRepeatedLooks,
  linksAndIds,
  mergeRepeatedCode,
  mergeSeenCode,
  scrollsSideways,
  setTheme,
  structureFindings,
  transferredBytes,
} from './page-findings.ts'
import { openSiteWindow, type Page } from './site-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { url } = stack.use(await startWorld({ names: ['api-gateway'] }))
const root = `${url}/docs/`
/**
 * Maximum duration of the visit of all documentation pages, which takes 3 min in full size on an
 * idle machine.
 */
const visitTimeoutMs = 600_000
/**
 * Maximum bytes of a documentation page with all that it loads, without the index of the search.
 */
const maxBytes = 100_000
const browser = hasBrowser() ? stack.use(await testBrowser()) : undefined
const window = (width: number) => {
  if (!browser) throw new Error('no browser')
  return openSiteWindow(browser, { width, height: 800 }, url)
}

/** URLs of the documentation pages that `llms.txt` lists, and of the home page. */
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

const [wide, narrow] = [
  { width: 1280, height: 800 },
  { width: 375, height: 800 },
]

const label = (state: string, texts: string[]) => texts.map((text) => `${state}: ${text}`)

/**
 * Findings on the open documentation page, which is `wide`, in a wide and a narrow window and in
 * both themes. Changes the page. The full text is checked in the narrow window, where it has the
 * least space. In `make test`, the wide window and the colours are checked for elements with looks
 * that no earlier page has.
 */
async function pageFindings(page: Page): Promise<string[]> {
  const findings: string[] = []
  if (await scrollsSideways(page)) findings.push('wide: the page scrolls sideways')
  await addAxe(page)
  if (isFullFaultRun) {
    await findRepeatedLooks(page)
    await mergeRepeatedCode(page)
  } else {
    const hasNewLooks = (await findNewLooks(page)) > 0
    await mergeSeenCode(page)
    if (hasNewLooks) {
      findings.push(...label('wide', await structureFindings(page)))
      findings.push(...(await newColourFindings(page, 'wide')))
    }
  }
  await page.setViewportSize(narrow)
  if (await scrollsSideways(page)) findings.push('narrow: the page scrolls sideways')
  findings.push(...label('narrow', await structureFindings(page)))
  if (isFullFaultRun) findings.push(...(await allColourFindings(page)))
  else if ((await findNewLooks(page)) > 0)
    findings.push(...(await newColourFindings(page, 'narrow')))
  await page.setViewportSize(wide)
  return findings
}

/** Findings on the colours of elements with new looks in both themes. */
async function newColourFindings(page: Page, size: string): Promise<string[]> {
  const light = label(`${size} light`, await newLookFindings(page))
  await setTheme(page, 'dark')
  const dark = label(`${size} dark`, await newLookFindings(page))
  await setTheme(page, 'light')
  return [...light, ...dark]
}

/**
 * Findings on the colours of a page in a narrow window, then in a wide window, and on the structure
 * in the wide window. Changes the page.
 */
async function allColourFindings(page: Page): Promise<string[]> {
  const findings: string[] = []
  const add = (state: string, texts: string[]) => findings.push(...label(state, texts))
  await emptyRepeatedLooks(page)
  add('narrow light', await colourFindings(page))
  await setTheme(page, 'dark')
  add('narrow dark', await colourFindings(page))
  await page.setViewportSize(wide)
  add('wide dark', await colourFindings(page))
  await setTheme(page, 'light')
  add('wide light', await colourFindings(page))
  add('wide', await structureFindings(page))
  return findings
}

/**
 * Visits documentation pages in a browser window. Returns the problems of the pages, their links
 * and their anchors.
 */
async function visitPages(addresses: readonly string[]) {
  const { page, foreignRequests, errors, violations } = await window(wide.width)
  const problems: string[] = []
  const [links, anchors]: [string[], string[]] = [[], []]
  for (const address of addresses) {
    await page.goto(address)
    const bytes = await transferredBytes(page)
    const parts = await linksAndIds(page)
    links.push(...parts.links)
    anchors.push(...parts.ids.map((id) => `${address}#${id}`))
    const findings = [...(await pageFindings(page)), ...(await violations())]
    if (bytes > maxBytes) findings.push(`the page transfers ${bytes} bytes`)
    problems.push(...findings.map((problem) => `${address}: ${problem}`))
  }
  return { problems: [...problems, ...foreignRequests, ...errors], links, anchors }
}

testInBrowser(
  'pages, 1280 and 375 px wide: are accessible in both themes, small, and have no dead link',
  async () => {
    const { problems, links, anchors } = await visitPages(pages)
    expect(problems).toEqual([])
    expect(await deadLinks(new Set(links), new Set(anchors))).toEqual([])
  },
  visitTimeoutMs,
)

/**
 * Links of documentation pages to this host that lead nowhere. `anchors` are the anchors of all
 * pages.
 */
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
  const { page, violations } = await window(wide.width)
  const response = await page.goto(`${root}nothing/`)
  expect(response?.status()).toBe(404)
  expect(await page.locator('h1').textContent()).toBe('404')
  expect(await pageFindings(page)).toEqual([])
  expect(await violations()).toEqual([])
})
