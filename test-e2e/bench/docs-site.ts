import { spawnSync } from 'node:child_process'
import { checkout } from '@posthorn/local/paths'
import { hasBrowser, testBrowser } from '@posthorn/testkit'
import { transferredBytes } from '../docs-site/page-findings.ts'
import { startWorld } from '../world.ts'
import { percentile, type Row } from './report.ts'

type Browser = Awaited<ReturnType<typeof testBrowser>>

const rounds = 9
/** The CPU of the browser is slowed by this factor, like the CPU of a cheap phone. */
const slowdown = 4

/**
 * Builds the documentation site, and measures its pages in Chromium with a slow CPU. Compares them
 * with a small page of api-gateway.
 */
export async function benchDocsSite(): Promise<Row[]> {
  const start = performance.now()
  if (spawnSync('make', ['docs'], { cwd: checkout, stdio: 'inherit' }).status !== 0)
    throw new Error('the documentation site could not be built')
  const seconds = (performance.now() - start) / 1000
  const limit = { unit: ' s', reference: 60, referenceIs: 'limit on two cores' }
  const rows: Row[] = [{ what: 'documentation site, build', measured: seconds, ...limit }]
  if (!hasBrowser()) return rows
  await using world = await startWorld({ names: ['api-gateway'] })
  await using browser = await testBrowser()
  const small = await largestPaintMs(browser, `${world.url}/unsubscribe`)
  for (const path of ['', 'guides/first-mailbox/', 'reference/operations/messages/']) {
    const paint = await largestPaintMs(browser, `${world.url}/docs/${path}`)
    rows.push(
      {
        what: `/docs/${path}, largest contentful paint, CPU slowed ${slowdown} times (median)`,
        measured: paint.ms,
        reference: small.ms,
        unit: ' ms',
        referenceIs: 'error page of /unsubscribe',
      },
      {
        what: `/docs/${path}, transferred`,
        measured: paint.bytes / 1000,
        reference: 100,
        unit: ' kB',
        referenceIs: 'limit',
      },
    )
  }
  return rows
}

/**
 * Median time of a page's largest contentful paint with empty caches, and the transferred bytes.
 */
async function largestPaintMs(
  browser: Browser,
  url: string,
): Promise<{ ms: number; bytes: number }> {
  const times: number[] = []
  let bytes = 0
  for (let round = 0; round < rounds; round += 1) {
    const page = await browser.openWindow({ width: 1280, height: 800 })
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await page.goto(url, { waitUntil: 'networkidle' })
    times.push(
      await page.evaluate<number>(`new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
          .observe({ type: 'largest-contentful-paint', buffered: true })
      })`),
    )
    bytes = Math.max(bytes, await transferredBytes(page))
    await page.context().close()
  }
  return { ms: percentile(times, 50), bytes }
}
