import { accessSync, constants } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'

/** Where Debian, and others after it, put it. */
const defaultPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

export interface TestBrowser extends AsyncDisposable {
  /** A window of its own, with nothing remembered: a phone's, on which no script runs. */
  openPhone: (options?: PhoneOptions) => Promise<Page>
}

export interface PhoneOptions {
  colorScheme?: 'light' | 'dark'
}

function browserPath(): string | undefined {
  const { TEST_BROWSER: given } = process.env
  if (given === 'off') return undefined
  return (given ? [given] : defaultPaths).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** False where there is no Chromium, or one has asked to do without (TEST_BROWSER=off): tests in a browser are then to be skipped. */
export function hasBrowser(): boolean {
  return browserPath() !== undefined
}

/** A Chromium of this test's own: that of TEST_BROWSER (its program), else the system's. */
export async function testBrowser(): Promise<TestBrowser> {
  const executablePath = browserPath()
  if (executablePath === undefined) throw new Error('there is no Chromium here')
  const { chromium } = await import('playwright-core') // large: for those who ask for a browser
  const browser = await chromium.launch({ executablePath, args: asOnServers, timeout: 120_000 })
  const contexts: BrowserContext[] = []
  return {
    async openPhone({ colorScheme = 'light' } = {}) {
      const context = await openContext(browser, colorScheme)
      contexts.push(context)
      return context.newPage()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(contexts.map((context) => context.close()))
      await browser.close()
    },
  }
}

/** For a machine without a screen, where root runs the tests; nothing is looked up or fetched but what the test asks for. */
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

async function openContext(browser: Browser, colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({
    viewport: { width: 375, height: 667 },
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
    javaScriptEnabled: false,
    colorScheme,
  })
  context.setDefaultTimeout(60_000)
  return context
}
