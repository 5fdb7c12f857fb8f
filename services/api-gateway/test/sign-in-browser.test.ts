import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from '@jest/globals'
import { identifyBrowser } from '../src/public/sign-in/browser-cookie.ts'
import { type Browser, pathOf, redirectUrl, signInWorld, stateIn } from './sign-in-world.ts'

// A sign-in can be finished only by the browser that opened it, and only by its provider.

const world = await signInWorld()
const { app, gateways, servers, provider } = world
const { beginSignIn, finishSignIn, makeLink, openSignIn, page, startSignIn } = world
const { db } = servers
const [gateway] = gateways
afterAll(() => world.stop())

test('/oauth: state in another browser, 400 and the first browser can finish', async () => {
  const state = await beginSignIn(await makeLink({ account: 'bound' }))
  const exchanges = provider.completed.length
  const user = { user: 'bound@mail.test' }
  const victim: Browser = new Map()
  for (const cookies of [victim, new Map([['__Host-posthorn-sign-in', 'x'.repeat(43)]])])
    expect((await finishSignIn(state, user, cookies)).status).toBe(400)
  // Another browser that opens the same sign-in gets another state.
  const link = await makeLink({ account: 'lured' })
  const url = await startSignIn(link)
  const states = [await openSignIn(url), await openSignIn(url, victim)]
  expect(new Set(states).size).toBe(2)
  expect((await finishSignIn(states[0] ?? '', user, victim)).status).toBe(400)
  expect(provider.completed).toHaveLength(exchanges)
  expect((await finishSignIn(state, user)).status).toBe(303)
})

test('/oauth: cookie of the browser, has the prefix __Host- and lives one hour', async () => {
  const response = await gateway.call('POST', '/v1/account', {
    body: {
      account: 'cookie',
      name: 'C',
      oauth2: { authorize: true, provider: app, redirectUrl },
    },
  })
  const path = pathOf(String(response.body['redirect']))
  const open = (headers = {}) =>
    fetch(gateway.url + path, { redirect: 'manual', headers }).then((opened) => opened.headers)
  const [cookie = ''] = (await open()).getSetCookie()
  expect(cookie).toMatch(
    /^__Host-posthorn-sign-in=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/,
  )
  const [pair = ''] = cookie.split(';')
  expect((await open({ cookie: `other=1; ${pair}` })).getSetCookie()).toEqual([cookie])
  const { expiresAt } = await db
    .selectFrom('oauth2Logins')
    .select(sql<Date>`max(expires_at)`.as('expiresAt'))
    .where(sql<boolean>`registration #>> '{consent,browser}' is not null`)
    .executeTakeFirstOrThrow()
  expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 3_600_000)
})

test('/oauth: start token as state, 400; PKCE challenge belongs to the state', async () => {
  const url = await startSignIn(await makeLink({ account: 'tokens' }))
  const start = new URL(url).searchParams.get('start') ?? ''
  const opened = new URL((await page(pathOf(url))).location ?? '')
  expect((await finishSignIn(start, { user: 'tokens@mail.test' })).status).toBe(400)
  expect((await finishSignIn(stateIn(opened.href), { user: 'tokens@mail.test' })).status).toBe(303)
  const { codeVerifier = '' } = provider.completed.at(-1) ?? {}
  expect(createHash('sha256').update(codeVerifier).digest('base64url')).toBe(
    opened.searchParams.get('code_challenge'),
  )
})

test('/oauth: opened in several browsers, one finishes; the number is limited', async () => {
  const url = await startSignIn(await makeLink({ account: 'many' }))
  const browsers: Browser[] = Array.from({ length: 25 }, () => new Map())
  const states: string[] = []
  for (const cookies of browsers) states.push(await openSignIn(url, cookies))
  const more = await page(pathOf(url), gateway, new Map())
  expect([more.status, more.location]).toEqual([400, null])
  const finished = await Promise.all(
    [0, 1].map((n) => finishSignIn(states[n] ?? '', { user: 'many@mail.test' }, browsers[n])),
  )
  expect(finished.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400])
  expect((await page(pathOf(url))).status).toBe(400)
})

test('/oauth: redirect URI with plain HTTP, the cookie needs no HTTPS', async () => {
  const redirectUri = new URL('http://localhost:3000/oauth')
  const headers: string[] = []
  const response = { append: (_name: string, value: string) => headers.push(value) }
  const request = { get: () => undefined }
  identifyBrowser({ request, response } as never, redirectUri)
  expect(headers).toEqual([
    expect.stringMatching(/^posthorn-sign-in=[\w-]{43}; Path=\/; .*SameSite=Lax$/),
  ])
})

test('/oauth: iss of another issuer or missing, 400 without a code exchange (RFC 9207)', async () => {
  const exchanges = provider.completed.length
  const finishWith = async (query: string, issuer: typeof provider.issuer) => {
    provider.issuer = issuer
    const state = await beginSignIn(await makeLink({ account: 'issued' }))
    provider.issuer = {}
    const code = provider.consent({ user: 'issued@mail.test' })
    return (await page(`/oauth?code=${code}&state=${state}${query}`)).status
  }
  const issuer = 'https://id.example'
  expect(await finishWith('&iss=https://evil.example', { issuer })).toBe(400)
  expect(await finishWith('', { issuer, requiresIss: true })).toBe(400)
  expect(provider.completed).toHaveLength(exchanges)
  expect(await finishWith('', { issuer })).toBe(303)
  expect(await finishWith(`&iss=${issuer}`, { issuer, requiresIss: true })).toBe(303)
})
