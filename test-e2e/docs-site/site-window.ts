import type { testBrowser } from '@posthorn/testkit'

export type Browser = Awaited<ReturnType<typeof testBrowser>>
export type Page = Awaited<ReturnType<Browser['openWindow']>>

/**
 * Browser window that records requests, errors and policy violations, none of which a web site may
 * cause.
 */
export interface SiteWindow {
  page: Page
  /** Requests of the web site to other hosts. */
  foreignRequests: string[]
  /** Errors that pages have logged or thrown, also violations of the content security policy. */
  errors: string[]
  /** Violations of the content security policy by the open page, as `directive blocked`. */
  violations: () => Promise<string[]>
}

export async function openSiteWindow(
  browser: Browser,
  size: { width: number; height: number },
  origin: string,
): Promise<SiteWindow> {
  const page = await browser.openWindow(size)
  const [foreignRequests, errors]: [string[], string[]] = [[], []]
  page.on('request', (request) => {
    const { protocol, origin: target } = new URL(request.url())
    if (protocol !== 'data:' && protocol !== 'blob:' && target !== origin)
      foreignRequests.push(request.url())
  })
  page.on('pageerror', ({ message }) => void errors.push(`${page.url()}: ${message}`))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${page.url()}: ${message.text()}`)
  })
  await page.addInitScript(`
    window.violations = []
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(event.violatedDirective + ' ' + event.blockedURI)
    })
  `)
  const violations = () => page.evaluate<string[]>('window.violations')
  return { page, foreignRequests, errors, violations }
}
