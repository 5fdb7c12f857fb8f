import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connectBus, type Bus, on } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts'
import { linkTo, listHeaders, type SignedLink } from '@posthorn/links'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually } from '@posthorn/testkit'
import { registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db, env, broker } = servers
// Behind a proxy that is trusted: tests choose who they are.
const gateway = await servers.start({ SVC_TRUSTED_PROXIES: '127.0.0.0/8' })
const opener = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])
const account = 'acc'
const messageId = '<1@mail.example>'
const person = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'
let bus: Bus
let key: Buffer

beforeAll(async () => {
  const log = createLogger('test', 'silent')
  bus = await connectBus({
    url: broker.url,
    name: 'auth-bridge',
    log,
    metrics: createMetrics('test'),
  })
  const { sealed } = await db
    .selectFrom('sealedSettings')
    .select('sealed')
    .where('key', '=', 'linkSecret')
    .executeTakeFirstOrThrow()
  const linkSecret = await opener.unseal(sealed, 'settings/linkSecret')
  key = Buffer.from(linkSecret, 'hex')
  await bus.serve({
    queue: 'credentials',
    keys: ['credentials'],
    handlers: [on(getLinkSecret, async () => ({ linkSecret }))],
  })
  await gateway.call('POST', '/v1/account', { body: registration(account) })
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

const link = (said: SignedLink) => linkTo(gateway.url, key, said) ?? ''
const visit = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url, {
    method,
    redirect: 'manual',
    headers: { 'user-agent': person, 'x-forwarded-for': '192.0.2.7', ...headers },
  })
const post = (
  url: string,
  body: string | URLSearchParams | FormData,
  headers: Record<string, string> = {},
) => fetch(url, { method: 'POST', body, headers: { 'x-forwarded-for': '192.0.2.7', ...headers } })

/** What was told of a message or recipient, by event. */
async function told(part: string, event: string) {
  const rows = await db
    .selectFrom('events')
    .select(['body', 'eventId'])
    .where('event', '=', event)
    .orderBy('id')
    .execute()
  return rows
    .filter(({ body }) => body.includes(part))
    .map(({ body }) => (JSON.parse(body) as { data: Record<string, unknown> }).data)
}

/** Has one more hit written, so that what came before it was written or never will be. */
async function written(): Promise<void> {
  const msg = `<${crypto.randomUUID()}@mail.example>`
  await visit(link({ act: 'open', acc: account, msg }))
  await eventually(async () => expect(await told(msg, 'trackOpen')).toHaveLength(1))
}

test('a picture that is shown is told once, with who asked for it', async () => {
  const msg = '<shown@mail.example>'
  const response = await visit(link({ act: 'open', acc: account, msg }))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect((await response.arrayBuffer()).byteLength).toBe(42)
  await eventually(async () =>
    expect(await told(msg, 'trackOpen')).toEqual([
      { messageId: msg, remoteAddress: '192.0.2.7', userAgent: person },
    ]),
  )
})

test('a link leads to where it led, and is told', async () => {
  const url = 'https://shop.example/a?b=1&c=ü#top'
  const response = await visit(link({ act: 'click', acc: account, msg: messageId, url }))
  expect([response.status, response.headers.get('location')]).toEqual([
    302,
    'https://shop.example/a?b=1&c=%C3%BC#top',
  ])
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  await eventually(async () =>
    expect(await told('shop.example', 'trackClick')).toEqual([
      { messageId, url, remoteAddress: '192.0.2.7', userAgent: person },
    ]),
  )
})

test('machines get what they ask for, and nobody is told', async () => {
  const msg = '<machines@mail.example>'
  const picture = link({ act: 'open', acc: account, msg })
  const click = link({ act: 'click', acc: account, msg, url: 'https://shop.example/' })
  const seen = [
    await visit(picture, { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' }),
    await visit(picture, { 'x-forwarded-for': '66.249.66.1' }),
    await visit(picture, {}, 'HEAD'),
    await visit(click, { 'x-forwarded-for': '2001:4860:4801:10::1' }),
    await visit(click, {}, 'HEAD'),
    await visit(click, { 'sec-purpose': 'prefetch;prerender' }),
  ]
  expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 302, 302, 302])
  await written()
  expect([...(await told(msg, 'trackOpen')), ...(await told(msg, 'trackClick'))]).toEqual([])
})

test("Gmail's picture proxy stands for a person", async () => {
  const msg = '<gmail@mail.example>'
  const proxy =
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
  await visit(link({ act: 'open', acc: account, msg }), { 'user-agent': proxy })
  await eventually(async () => expect(await told(msg, 'trackOpen')).toHaveLength(1))
})

test('a link that is hammered tells a bounded number of hits', async () => {
  const msg = '<hammered@mail.example>'
  const picture = link({ act: 'open', acc: account, msg })
  for (let n = 0; n < 250; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => visit(picture, { 'user-agent': `${person} ${n + i}` })),
    )
  await written()
  const { length } = await told(msg, 'trackOpen')
  expect(length).toBeGreaterThanOrEqual(100)
  expect(length).toBeLessThan(200)
})

test('only what we signed leads anywhere', async () => {
  const good = new URL(
    link({ act: 'click', acc: account, msg: messageId, url: 'https://shop.example/' }),
  )
  const { data = '', sig = '' } = Object.fromEntries(good.searchParams)
  const evil = { act: 'click', acc: account, msg: messageId, url: 'https://evil.example/' }
  const forged = Buffer.from(JSON.stringify(evil)).toString('base64url')
  const queries = [
    '',
    `?data=${data}`,
    `?data=${forged}&sig=${sig}`,
    `?data=${data}&sig=${sig}&data=${forged}`,
    `?data[]=${data}&sig=${sig}`,
    `?url=https://evil.example/`,
    `?data=${data}&sig=${'A'.repeat(43)}`,
  ]
  for (const path of ['/redirect', '/open.gif', '/unsubscribe'])
    for (const query of queries) {
      const response = await visit(gateway.url + path + query)
      expect([path, query, response.status, response.headers.get('location')]).toEqual([
        path,
        query,
        403,
        null,
      ])
    }
  // What is right for one door opens no other.
  expect((await visit(`${gateway.url}/unsubscribe${good.search}`)).status).toBe(403)
  const script = link({ act: 'click', acc: account, msg: messageId, url: 'javascript:alert(1)' })
  expect((await visit(script)).status).toBe(403)
})

const list = (recipient: string, listId = 'news') => {
  const baseUrl = gateway.url
  const { unsubscribeUrl } = listHeaders({ baseUrl, key, account, listId, recipient, messageId })
  const signed = [...new URL(unsubscribeUrl).searchParams]
  const form = (action: string) => new URLSearchParams([...signed, ['action', action]])
  return { url: unsubscribeUrl, form }
}
const blocked = async (recipient: string) =>
  (
    await db
      .selectFrom('listBlocks')
      .select(['listId', 'source', 'account', 'messageId'])
      .where('recipient', '=', recipient)
      .execute()
  ).at(0)

test('a page asks, and the button does it: out, in again, out again', async () => {
  const { url, form } = list('Ann@Example.com')
  const page = await visit(url)
  const html = await page.text()
  expect(page.status).toBe(200)
  expect(html).toContain('Ann@Example.com')
  expect(html).toContain('action="unsubscribe/address"')
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  )
  expect(page.headers.get('x-robots-tag')).toBe('noindex, nofollow')
  expect(await blocked('ann@example.com')).toBeUndefined()

  const target = `${gateway.url}/unsubscribe/address`
  for (const action of ['unsubscribe', 'unsubscribe', 'subscribe', 'subscribe', 'unsubscribe'])
    expect((await post(target, form(action))).status).toBe(200)
  expect(await blocked('ann@example.com')).toEqual({
    listId: 'news',
    source: 'form',
    account,
    messageId,
  })
  const left = await told('Ann@Example.com', 'listUnsubscribe')
  expect(left).toHaveLength(2)
  expect(left[0]).toMatchObject({
    recipient: 'Ann@Example.com',
    messageId,
    listId: 'news',
    remoteAddress: '192.0.2.7',
  })
  expect(await told('Ann@Example.com', 'listSubscribe')).toHaveLength(1)
  expect(await (await visit(url)).text()).toContain('Subscribe again')
})

test('one click is enough for a mail client, however it posts it', async () => {
  const multipart = new FormData()
  multipart.set('List-Unsubscribe', 'One-Click')
  const bodies = [
    new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    multipart,
    'List-Unsubscribe=One-Click',
  ]
  for (const [n, body] of bodies.entries()) {
    const recipient = `bob${n}@example.com`
    for (let twice = 0; twice < 2; twice += 1) {
      const response = await post(list(recipient).url, body)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/plain; charset=utf-8',
      ])
    }
    expect(await blocked(recipient)).toMatchObject({ source: 'one-click' })
    expect(await told(recipient, 'listUnsubscribe')).toHaveLength(1)
  }
})

test('a post that asks for nothing, or for something else, changes nothing', async () => {
  const { url, form } = list('carl@example.com')
  expect((await post(url, 'x=y')).status).toBe(200)
  expect((await post(`${gateway.url}/unsubscribe/address`, form('delete'))).status).toBe(400)
  expect((await post(`${gateway.url}/unsubscribe/address`, 'action=unsubscribe')).status).toBe(403)
  expect((await post(url, 'x'.repeat(20_000))).status).toBe(413)
  expect(await blocked('carl@example.com')).toBeUndefined()
})

test('twenty requests at once are one turn', async () => {
  const { form } = list('dora@example.com')
  const target = `${gateway.url}/unsubscribe/address`
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => post(target, form('unsubscribe'))),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(await told('dora@example.com', 'listUnsubscribe')).toHaveLength(1)
})

test('nothing in a link or a setting of the operator becomes markup it was not', async () => {
  await gateway.call('POST', '/v1/settings', {
    body: { pageBrandName: '<b>Brand & Co', templateHeader: '<header id="own">Hi</header>' },
  })
  const html = await eventually(async () => {
    const page = await visit(list('"><script>x</script>@example.com').url)
    expect(page.headers.get('content-security-policy')).not.toContain('script-src')
    const text = await page.text()
    expect(text).toContain('&lt;b&gt;Brand &amp; Co')
    return text
  })
  expect(html).toContain('<header id="own">Hi</header>')
  expect(html).not.toContain('<script')
})

test('hits are events like any other: they reach the exchange', async () => {
  const msg = '<published@mail.example>'
  await visit(link({ act: 'open', acc: account, msg }))
  await eventually(async () => {
    const { publishedAt } = await db
      .selectFrom('events')
      .select('publishedAt')
      .where('body', 'like', `%${msg}%`)
      .executeTakeFirstOrThrow()
    expect(publishedAt).not.toBeNull()
  })
})

test('of an account that is gone nothing is told, and its links still lead on', async () => {
  const url = 'https://gone.example/'
  const response = await visit(link({ act: 'click', acc: 'nobody', msg: messageId, url }))
  expect(response.status).toBe(302)
  await written()
  expect(await told('gone.example', 'trackClick')).toEqual([])
})
