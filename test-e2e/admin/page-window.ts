import { eventually, isFullFaultRun } from '@posthorn/testkit'
import { addAxe, axeFindings, colourRules, requiredRules, withoutColours } from '../axe-findings.ts'
import { openSiteWindow, type SiteWindow } from '../docs-site/site-window.ts'
import { findNewLooks, newLookFindings } from '../new-looks.ts'
import type { Browser, Page } from './admin-world.ts'

/**
 * Expected error responses, which browsers log as errors: no session, an unknown invitation, and a
 * blocklist without addresses.
 */
const refusals = [
  /\/admin\/session: Failed to load resource: .* status of 401/,
  /\/admin\/session\/invitation\/details: Failed to load resource: .* status of 410/,
  /\/v1\/blocklist\/nothing\?.*: Failed to load resource: .* status of 404/,
]

/**
 * Browser window that records errors, violations of the content security policy, requests and
 * shifts of the layout.
 */
export interface PageWindow extends Omit<SiteWindow, 'errors'> {
  errors: () => string[]
  /**
   * Returns the requests of the window to the server of the administration pages since the last
   * call of this function.
   */
  takeRequests: () => string[]
  /** Switches the browser's cache off, so that each page loads all files of the page again. */
  disableCache: () => Promise<void>
  /** Returns the sum of the layout shifts since the page was loaded, as Chromium measures them. */
  layoutShift: () => Promise<number>
}

/** Opens a browser window for the administration pages, which are served at `origin`. */
export async function openPageWindow(
  browser: Browser,
  size: { width: number; height: number },
  origin: string,
): Promise<PageWindow> {
  const window = await openSiteWindow(browser, size, origin)
  const { page } = window
  const [logged, requests]: [string[], string[]] = [[], []]
  page.on('console', (message) => {
    if (message.type() === 'error') logged.push(`${message.location().url}: ${message.text()}`)
  })
  page.on('pageerror', ({ message }) => void logged.push(`${page.url()}: ${message}`))
  page.on('request', (request) => {
    if (new URL(request.url()).origin === origin) requests.push(request.url())
  })
  await page.addInitScript(`
    window.layoutShift = 0
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!entry.hadRecentInput) window.layoutShift += entry.value
    }).observe({ type: 'layout-shift', buffered: true })
  `)
  return {
    ...window,
    errors: () => logged.filter((text) => !refusals.some((refusal) => refusal.test(text))),
    async disableCache() {
      const session = await page.context().newCDPSession(page)
      await session.send('Network.enable')
      await session.send('Network.setCacheDisabled', { cacheDisabled: true })
    },
    takeRequests: () => requests.splice(0),
    layoutShift: () => page.evaluate<number>('window.layoutShift'),
  }
}

/**
 * Findings of the accessibility checker axe on a page with the impact `serious` or `critical`, as
 * `rule: element`. `make test` checks the colours of elements with new looks only.
 */
export async function seriousFindings(page: Page): Promise<string[]> {
  await addAxe(page)
  if (isFullFaultRun) return axeFindings(page, { runOnly: requiredRules })
  const hasNewLooks = (await findNewLooks(page)) > 0
  return [...(await structureFindings(page)), ...(hasNewLooks ? await newLookFindings(page) : [])]
}

/** Findings of the accessibility checker axe on a page by all rules that do not concern colours. */
function structureFindings(page: Page): Promise<string[]> {
  return axeFindings(page, { runOnly: requiredRules, rules: withoutColours })
}

/**
 * Findings of the accessibility checker axe in both themes. The themes differ in colours only, so
 * the dark theme is checked for colours only. The page has the light theme afterwards.
 */
export async function findingsInThemes(page: Page): Promise<string[]> {
  await addAxe(page)
  const light = await axeFindings(page, { runOnly: requiredRules })
  return inThemes(page, light, () => axeFindings(page, { runOnly: colourRules }))
}

/**
 * Findings of `findingsInThemes` on the elements with new looks in both themes. `isWhole` is true
 * to check the structure of the page also if the page has no new look.
 */
export async function newFindingsInThemes(page: Page, isWhole: boolean): Promise<string[]> {
  await addAxe(page)
  const hasNewLooks = (await findNewLooks(page)) > 0
  const structure = isWhole || hasNewLooks ? await structureFindings(page) : []
  if (!hasNewLooks) return structure
  const light = [...structure, ...(await newLookFindings(page))]
  return inThemes(page, light, () => newLookFindings(page))
}

/** Adds findings in the dark theme to findings in the light theme. */
async function inThemes(
  page: Page,
  light: readonly string[],
  findDark: () => Promise<string[]>,
): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await findDark()
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light.map((text) => `light ${text}`), ...dark.map((text) => `dark ${text}`)]
}

/** Waits until an administration page shows its content: all data is loaded. */
export async function untilLoaded(page: Page): Promise<void> {
  const heading = page.locator('h1')
  await heading.first().waitFor()
  // While an administration page replaces another page, the headings of both pages may be present.
  await heading.nth(1).waitFor({ state: 'detached' })
  await page.locator('main > *').first().waitFor()
  const loading = page.locator('[aria-label="Loading"], [aria-busy="true"]')
  await loading.first().waitFor({ state: 'detached' })
}

/** Waits until an administration page is shown after a click: its title and its content. */
export async function untilShown(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
  await untilLoaded(page)
}

/** Waits until an element of an administration page has the focus. */
export async function untilFocused(target: ReturnType<Page['locator']>): Promise<void> {
  await eventually(() =>
    target.evaluate((element) => element === element.ownerDocument.activeElement),
  )
}

/**
 * Elements of a page's content that are cut off, as `element in clipping element`. Elements that
 * scroll are left out, and elements of 1 px, whose content is for screen readers only.
 */
export function clippedElements(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const nameOf = ({ localName, className, textContent }) =>
      localName + '.' + className + ' ' + textContent.slice(0, 40)
    const clips = (element) =>
      element instanceof HTMLElement &&
      !element.matches('input, textarea, select, iframe, canvas') &&
      ['hidden', 'clip'].includes(getComputedStyle(element).overflowX) &&
      element.clientWidth > 1 &&
      element.scrollWidth > element.clientWidth + 1
    return [...document.querySelectorAll('main, main *')].filter(clips).map((element) => {
      const { right } = element.getBoundingClientRect()
      const inner = [...element.querySelectorAll('*')]
      const wide = inner.find((each) => each.getBoundingClientRect().right > right + 1)
      return nameOf(wide ?? element) + ' in ' + nameOf(element)
    })
  })()`)
}

/** Names of a page's tables that are wider than their frames, which therefore scroll sideways. */
export function scrollingTables(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`[...document.querySelectorAll('main table')]
    .filter(({ parentElement }) => parentElement.scrollWidth > parentElement.clientWidth + 1)
    .map((table) => table.getAttribute('aria-label'))`)
}
