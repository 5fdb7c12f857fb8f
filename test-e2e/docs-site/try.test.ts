import { afterAll, expect, test } from '@jest/globals'
import { hasBrowser, testBrowser } from '@posthorn/testkit'
import { startWorld } from '../world.ts'
import { openSiteWindow } from './site-window.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

testInBrowser('/docs/try/: sends a request with a token, which is not stored', async () => {
  const { url, token } = stack.use(await startWorld({ names: ['api-gateway'] }))
  const browser = stack.use(await testBrowser())
  const { page, ...seen } = await openSiteWindow(browser, { width: 1280, height: 900 }, url)
  await page.goto(`${url}/docs/try/#tag/stats/GET/v1/stats`)
  await page.getByPlaceholder('Token').fill(token)
  await page.locator('.show-api-client-button', { hasText: '/v1/stats' }).click()
  const answer = page.waitForResponse(
    (response) => new URL(response.url()).pathname === '/v1/stats',
  )
  await page.getByRole('button', { name: /^Send/ }).first().click()
  const response = await answer
  expect(response.status()).toBe(200)
  expect(await response.request().headerValue('authorization')).toBe(`Bearer ${token}`)
  const stored = await page.evaluate<string>(
    `(async () => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie,
      (await indexedDB.databases()).length]))()`,
  )
  expect(stored).not.toContain(token)
  expect(JSON.parse(stored)).toMatchObject([{}, {}, '', 0])
  expect(seen.foreignRequests).toEqual([])
  // A library of the API viewer Scalar tries whether it may compile code, and works without the
  // permission.
  expect([...new Set(await seen.violations())]).toEqual(['script-src eval'])
})
