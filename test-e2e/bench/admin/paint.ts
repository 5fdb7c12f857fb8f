import { setTimeout as delay } from 'node:timers/promises'
import { testBrowser } from '@posthorn/testkit'
import type { Browser, Page } from '../../admin/admin-world.ts'
import { untilLoaded } from '../../admin/page-window.ts'
import { percentile, type Row } from '../report.ts'
import type { AdminStage } from './people.ts'

const rounds = 9
/** The CPU of the browser is slowed by this factor, like the CPU of a cheap phone. */
const slowdown = 4
/** Time in milliseconds in which the browser reports the paints of a loaded page. */
const reportMs = 1_000

/**
 * Measures the largest contentful paint of administration pages in Chromium with empty caches and a
 * slow CPU. Compares it with a small page of api-gateway.
 */
export async function benchPaint({ world, owner }: AdminStage): Promise<Row[]> {
  await using browser = await testBrowser()
  const small = await largestPaintMs(browser, async (page) => {
    await page.goto(`${world.url}/unsubscribe`)
  })
  const rows: Row[] = []
  for (const [path, what] of [
    ['/', 'dashboard'],
    ['/accounts', 'accounts (50 out of 100,000)'],
  ] as const)
    rows.push({
      what: `${what}, largest contentful paint, CPU slowed ${slowdown} times (median)`,
      measured: await largestPaintMs(browser, async (page) => {
        const cookie = { name: 'posthorn-session', value: owner.cookie, url: world.pagesUrl }
        await page.context().addCookies([cookie])
        await page.goto(`${world.pagesUrl}/admin${path}`)
        await untilLoaded(page)
      }),
      reference: small,
      unit: ' ms',
      referenceIs: 'error page of /unsubscribe',
    })
  return rows
}

/** Median time of the largest contentful paint, with a new browser context for each visit. */
async function largestPaintMs(
  browser: Browser,
  visit: (page: Page) => Promise<void>,
): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const page = await browser.openWindow({ width: 1280, height: 800 })
    const session = await page.context().newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await page.addInitScript(`
      new PerformanceObserver((list) => {
        window.largestPaintMs = list.getEntries().at(-1).startTime
      }).observe({ type: 'largest-contentful-paint', buffered: true })
    `)
    await visit(page)
    await delay(reportMs)
    const ms = await page.evaluate<number | undefined>('window.largestPaintMs')
    if (ms === undefined) throw new Error(`${page.url()}: no paint was reported`)
    times.push(ms)
    await page.context().close()
  }
  return percentile(times, 50)
}
