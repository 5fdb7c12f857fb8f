import { accessSync, constants } from 'node:fs'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/**
 * Maximum wait of browser tests for a page, as long as that of `eventually`: a busy machine is
 * slow.
 */
const timeoutMs = 90_000
/** Paths of the browser Chromium on Debian and similar systems. */
const defaultPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export interface TestBrowser extends AsyncDisposable {
  /**
   * Opens a page in a new context of the test browser that emulates a phone, with scripts disabled.
   */
  openPhone: (options?: { colorScheme?: 'light' | 'dark' }) => Promise<Page>
  /** Opens a page of 800 by 600 pixels in a new context of the test browser, with scripts. */
  openDesktop: () => Promise<Page>
  /**
   * Opens a page of the given size in CSS pixels in a new context of the test browser, with
   * scripts.
   */
  openWindow: (size: { width: number; height: number }) => Promise<Page>
}

export interface TestBrowserOptions {
  /**
   * Addresses (`host:port`) to which the test browser connects for host names; `*` stands for any
   * other host name. Default: DNS.
   */
  hosts?: Readonly<Record<string, string>>
}

function browserPath(): string | undefined {
  const { TEST_BROWSER: configured } = process.env
  if (configured === 'off') return undefined
  return (configured ? [configured] : defaultPaths).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * True if Chromium is installed and TEST_BROWSER is not `off`. If false, browser tests are skipped.
 */
export function hasBrowser(): boolean {
  return browserPath() !== undefined
}

/** Starts the Chromium that TEST_BROWSER names, or the Chromium of the operating system. */
export async function testBrowser({ hosts = {} }: TestBrowserOptions = {}): Promise<TestBrowser> {
  const executablePath = browserPath()
  if (executablePath === undefined)
    throw new Error('Chromium not found: install chromium or set TEST_BROWSER')
  // playwright-core is loaded on first use because it is large.
  const { chromium } = await import('playwright-core')
  const rules = Object.entries(hosts).map(([host, address]) => `MAP ${host} ${address}`)
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...asOnServers,
      ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join(',')}`] : []),
    ],
    timeout: 120_000,
  })
  return {
    async openPhone({ colorScheme = 'light' } = {}) {
      const context = await browser.newContext({ ...phone, colorScheme })
      context.setDefaultTimeout(timeoutMs)
      return context.newPage()
    },
    openDesktop: () => openWindow(browser, { width: 800, height: 600 }),
    openWindow: (size) => openWindow(browser, size),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

async function openWindow(browser: Browser, viewport: { width: number; height: number }) {
  const context = await browser.newContext({ viewport })
  context.setDefaultTimeout(timeoutMs)
  return context.newPage()
}

/**
 * Options of Chromium for root on a machine without a screen. All background network requests are
 * disabled.
 */
const asOnServers = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

const phone: BrowserContextOptions = {
  viewport: { width: 375, height: 667 },
  deviceScaleFactor: 2,
  isMobile: true,
  hasTouch: true,
  javaScriptEnabled: false,
}
