import { createHash, hkdfSync } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { withClient } from '@posthorn/local/postgres/client'
import { eventually, hasBrowser, testBrowser } from '@posthorn/testkit'
import {
  callFromPage,
  join,
  type Page,
  password,
  setUpOwner,
  signIn,
  startAdminWorld,
} from './admin-world.ts'
import { untilLoaded } from './page-window.ts'
import { ownHeaders, rawCall, startOtherSite } from './raw-call.ts'

if (!hasBrowser()) process.stderr.write('Chromium not found: browser tests are skipped\n')
const testInBrowser = hasBrowser() ? test : test.skip

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/**
 * Maximum time until admin-ui refuses an ended session: one second, and the pauses of a busy
 * machine. The administration pages check their session after 30 s.
 */
const revokeMs = 10_000
const wide = { width: 1280, height: 900 }
async function openStage() {
  const world = stack.use(await startAdminWorld([]))
  const browser = stack.use(await testBrowser())
  const owner = await browser.openWindow(wide)
  await setUpOwner(owner, world)
  const openPage = () => browser.openWindow(wide)
  const open = (page: Page, path: string) => page.goto(`${world.pagesUrl}/admin${path}`)
  return { world, owner, openPage, open }
}
const stage = hasBrowser() ? await openStage() : undefined
const opened = () => {
  if (!stage) throw new Error('no browser')
  return stage
}

/** Value of the session cookie that a page of the browser has. */
async function cookieOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies()
  return cookies.find(({ name }) => name === 'posthorn-session')?.value ?? ''
}
const sessionStatus = async (page: Page) =>
  (await callFromPage(page, { path: '/admin/session' })).status

testInBrowser('another site or port can neither call, frame nor read the pages', async () => {
  const { world, owner } = opened()
  const { pagesUrl } = world
  await using site = await startOtherSite()
  site.show(attackPage(pagesUrl))
  const forged = await owner.context().newPage()
  // Attacking pages are served at another port and at another host. A page at another port of
  // admin-ui's address belongs to the same site, so its requests have the cookie. A page at
  // `localhost` belongs to another site.
  for (const host of ['127.0.0.1', 'localhost']) {
    await forged.goto(`http://${host}:${site.port}/`)
    const results = await eventually(async () => {
      const value = await forged.evaluate<unknown[] | undefined>('window.results')
      return value ?? false
    })
    expect(results).toEqual(['blocked', 'blocked', 'blocked', 'blocked', 'image refused'])
    const [frame] = forged.frames().filter((each) => each.name() === 'pages')
    expect(frame?.url()).toBe('chrome-error://chromewebdata/')
    for (const [name, status] of navigations)
      expect([host, name, await navigate(owner, `http://${host}:${site.port}/`, name)]).toEqual([
        host,
        name,
        status,
      ])
  }
  await forged.close()
  expect(await sessionStatus(owner)).toBe(200)
  const { body } = await callFromPage(owner, { path: '/admin/people/invitations' })
  expect(body).toEqual({ invitations: [] })
})

/** Elements of an attacker's page that navigate to admin-ui, and the status of the response. */
const navigations = [
  ['form', 403],
  ['read', 403],
  // A link to an administration page opens the page, without any call.
  ['people', 200],
] as const

/** Clicks an element of an attacker's page. Resolves with the status of the response. */
async function navigate(owner: Page, site: string, name: string): Promise<number> {
  const forged = await owner.context().newPage()
  await forged.goto(site)
  const navigated = forged.waitForResponse(
    (response) =>
      response.request().isNavigationRequest() &&
      response.frame() === forged.mainFrame() &&
      new URL(response.url()).pathname.startsWith('/admin/'),
  )
  await forged.evaluate(`document.getElementById('${name}').click()`)
  const status = (await navigated).status()
  await forged.close()
  return status
}

/** HTML of an attacker's page, whose requests carry the session cookie if the browser allows it. */
function attackPage(pagesUrl: string): string {
  const invite = `{"email":"thief@example.com","role":"owner","mayReadMail":true}`
  return `<!doctype html>
    <iframe name="pages" src="${pagesUrl}/admin/people"></iframe>
    <form method="post" enctype="text/plain" action="${pagesUrl}/admin/people/invitations">
      <input name='${invite.slice(0, -1)},"x":"' value='"}'><button id="form"></button></form>
    <a id="read" href="${pagesUrl}/admin/call/v1/accounts">read</a>
    <a id="people" href="${pagesUrl}/admin/people">people</a>
    <script>
      const call = (path, init) => fetch('${pagesUrl}' + path, { credentials: 'include', ...init })
        .then((response) => response.type, () => 'blocked')
      const body = '${invite}'
      const image = new Promise((resolve) => {
        const img = new Image()
        img.onload = () => resolve('image loaded')
        img.onerror = () => resolve('image refused')
        img.src = '${pagesUrl}/admin/call/v1/accounts'
      })
      Promise.all([
        call('/admin/session'),
        call('/admin/people/invitations', { method: 'POST', body,
          headers: { 'X-SVC-Admin': '1', 'content-type': 'application/json' } }),
        call('/admin/people/invitations', { method: 'POST', body, mode: 'no-cors' }),
        call('/admin/session/sign-out', { method: 'POST', mode: 'no-cors' }),
        image,
      ]).then((results) => { window.results = results })
    </script>`
}

testInBrowser('forged headers: each call without the proof of an own page is refused', async () => {
  const { world, owner } = opened()
  const { pagesUrl } = world
  const own = ownHeaders(pagesUrl, await cookieOf(owner))
  const { 'x-svc-admin': _, ...withoutHeader } = own
  const body = JSON.stringify({ email: 'owner@example.com', password })
  const cases = [
    withoutHeader,
    { ...own, 'x-svc-admin': 'true' },
    { ...own, origin: 'https://evil.example' },
    { ...own, origin: 'null' },
    { ...own, origin: pagesUrl.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10)) },
    { ...own, 'sec-fetch-site': 'cross-site' },
    { ...own, 'sec-fetch-site': 'same-site' },
    { ...own, 'sec-fetch-site': 'none' },
  ]
  for (const path of [
    '/admin/session/sign-in',
    '/admin/session/sign-out',
    '/admin/people/invitations',
    '/admin/call/v1/account',
  ])
    for (const headers of cases) {
      const reply = await rawCall(pagesUrl, { method: 'POST', path, headers, body })
      expect([path, headers, reply.status]).toEqual([path, headers, 403])
      expect(reply.headers['access-control-allow-origin']).toBeUndefined()
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
  const preflight = await rawCall(pagesUrl, {
    method: 'OPTIONS',
    path: '/admin/people/invitations',
    headers: {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-svc-admin',
    },
  })
  expect(preflight.headers['access-control-allow-origin']).toBeUndefined()
  expect(await sessionStatus(owner)).toBe(200)
})

testInBrowser(
  'cookie: is hidden from scripts and strict, over TLS with the prefix __Host-',
  async () => {
    const { world, owner } = opened()
    expect(await owner.evaluate('document.cookie')).toBe('')
    const stored = await owner.evaluate<string>(
      'JSON.stringify([{...localStorage}, {...sessionStorage}])',
    )
    expect(stored).not.toContain(await cookieOf(owner))
    expect(await owner.context().cookies()).toMatchObject([
      { name: 'posthorn-session', httpOnly: true, sameSite: 'Strict', path: '/', expires: -1 },
    ])
    const { headers } = await rawCall(world.pagesUrl, {
      method: 'POST',
      path: '/admin/session/sign-in',
      headers: { ...ownHeaders(world.pagesUrl, ''), 'x-forwarded-proto': 'https' },
      body: JSON.stringify({ email: 'owner@example.com', password }),
    })
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-posthorn-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ])
  },
)

testInBrowser('paths below /admin/call: lead to operations of the API only', async () => {
  const { world, owner } = opened()
  const { pagesUrl } = world
  const headers = ownHeaders(pagesUrl, await cookieOf(owner))
  const good = await rawCall(pagesUrl, { path: '/admin/call/v1/stats', headers })
  expect(good.status).toBe(200)
  for (const path of [
    '/admin/call/metrics',
    '/admin/call/health/ready',
    '/admin/call/docs/',
    '/admin/call/../admin/api/findings',
    '/admin/call/v1/../../metrics',
    '/admin/call/v1/%2e%2e/%2e%2e/metrics',
    '/admin/call/v1/account/..%2f..%2f..%2fmetrics',
    '/admin/call/v1/account/%2e%2e%2fstats',
    '/admin/call/v1/account/..;/..;/metrics',
    '/admin/call/v1/account/%252e%252e%252fmetrics',
    '/admin/call//metrics',
    '/admin/call///127.0.0.1/metrics',
    '/admin/call/http://127.0.0.1/metrics',
    '/admin/call/@127.0.0.1/metrics',
    '/admin/call/v1\\..\\..\\metrics',
    '/admin/call/v1/stats%00',
    '/admin/call/v1/stats?access_token=x',
    '/admin/call/v1/stats?access_token[]=x',
    '/admin/call/V1/stats',
    '/admin/call/admin/call/v1/stats',
    `${pagesUrl}/admin/call/v1/../../metrics`,
  ]) {
    const reply = await rawCall(pagesUrl, { path, headers })
    const outcome = [400, 404].includes(reply.status) ? 'refused' : reply.status
    expect([path, outcome]).toEqual([path, 'refused'])
    expect(reply.text).not.toMatch(/posthorn_|"findings"/)
  }
})

testInBrowser(
  'api-gateway: neither the cookie nor guesses from the database are a token',
  async () => {
    const { world, owner } = opened()
    const cookie = await cookieOf(owner)
    const { rows } = await withClient(world.ownerUrl, (client) =>
      client.query<Record<string, string>>('select hash, id, credential_hash from admin_sessions'),
    )
    const dump = rows.flatMap((row) => Object.values(row))
    const derived = ['', 'posthorn'].map((salt) =>
      Buffer.from(
        hkdfSync('sha256', Buffer.from(cookie, 'base64url'), salt, 'posthorn admin credential', 32),
      ).toString('base64url'),
    )
    const hashed = createHash('sha256').update(cookie).digest('hex')
    for (const guess of [cookie, hashed, ...dump, ...derived])
      for (const token of [guess, `sess_${guess}`]) {
        const response = await fetch(`${world.url}/v1/stats`, {
          headers: { authorization: `Bearer ${token}` },
        })
        expect(response.status).toBe(401)
        expect((await fetch(`${world.url}/v1/stats?access_token=${token}`)).status).toBe(401)
      }
    for (const value of [cookie, ...dump]) {
      const headers = { cookie: `posthorn-session=${value}; __Host-posthorn-session=${value}` }
      expect((await rawCall(world.url, { path: '/v1/stats', headers })).status).toBe(401)
    }
    // A value from a dump of the database does not work as session cookie.
    for (const value of dump) {
      const headers = ownHeaders(world.pagesUrl, value.slice(0, 43))
      expect((await rawCall(world.pagesUrl, { path: '/admin/session', headers })).status).toBe(401)
    }
  },
)

testInBrowser('responses: have the policy of their kind', async () => {
  const { world, owner } = opened()
  const { pagesUrl } = world
  const page = () => rawCall(pagesUrl, { path: '/admin/people', headers: { accept: 'text/html' } })
  const [first, second] = [await page(), await page()]
  const nonceOf = (reply: typeof first) =>
    /'nonce-([^']+)'/.exec(String(reply.headers['content-security-policy']))?.[1]
  expect(nonceOf(first)).not.toBe(nonceOf(second))
  expect(first.headers['content-security-policy']).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonceOf(first)}'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`,
  )
  const headers = ownHeaders(pagesUrl, await cookieOf(owner))
  const [, asset = ''] = /src="(\/admin\/assets\/[^"]+)"/.exec(first.text) ?? []
  const replies = {
    page: first,
    session: await rawCall(pagesUrl, { path: '/admin/session', headers }),
    call: await rawCall(pagesUrl, { path: '/admin/call/v1/stats', headers }),
    refused: await rawCall(pagesUrl, { path: '/admin/session' }),
    missing: await rawCall(pagesUrl, { path: '/admin/assets/nothing.js' }),
    asset: await rawCall(pagesUrl, { path: asset }),
  }
  for (const [kind, reply] of Object.entries(replies)) {
    expect([kind, reply.headers]).toEqual([
      kind,
      expect.objectContaining({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'cache-control': kind === 'asset' ? expect.stringContaining('immutable') : 'no-store',
      }),
    ])
    expect(reply.headers['x-powered-by']).toBeUndefined()
    expect(reply.headers['server']).toBeUndefined()
  }
})

testInBrowser('a removed role and a new password end open pages', async () => {
  const { owner, openPage, open } = opened()
  const [helper, second] = [await openPage(), await openPage()]
  await join(owner, helper, { email: 'helper@example.com', role: 'operator' })
  // The dashboard loads its figures every 5 s.
  await open(helper, '/')
  await untilLoaded(helper)
  const people = (await callFromPage(owner, { path: '/admin/people' })).body['people']
  const { id = '' } =
    (people as { id: string; email: string }[]).find(
      ({ email }) => email === 'helper@example.com',
    ) ?? {}
  const path = `/admin/people/${id}`
  await callFromPage(owner, { method: 'PUT', path, body: { role: 'support' } })
  await eventually(async () => expect(await sessionStatus(helper)).toBe(401), {
    timeoutMs: revokeMs,
  })
  const change = { method: 'POST', path: '/admin/call/v1/settings', body: { pageBrandName: 'x' } }
  expect((await callFromPage(helper, change)).status).toBe(401)
  await helper.getByRole('heading', { name: 'Sign in' }).waitFor()

  await signIn(helper, 'helper@example.com')
  await open(second, '/')
  await signIn(second, 'helper@example.com')
  const body = { current: password, new: 'another long password' }
  const changed = await callFromPage(helper, {
    method: 'POST',
    path: '/admin/session/password',
    body,
  })
  expect([changed.status, await sessionStatus(helper)]).toEqual([204, 200])
  await eventually(async () => expect(await sessionStatus(second)).toBe(401), {
    timeoutMs: revokeMs,
  })
  await second.getByRole('heading', { name: 'Sign in' }).waitFor()
})
