import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Bus, on } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts/commands/credentials'
import { LinkKey, linkTo, listHeaders, type SignedLink } from '@posthorn/links'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { eventually, RawClient } from '@posthorn/testkit'
import { registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
// The tests are a trusted proxy and choose the client address.
const gateway = await servers.start({ SVC_TRUSTED_PROXIES: '127.0.0.0/8' })
const unsealer = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])
const account = 'acc'
const messageId = '<1@mail.example>'
const person = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'
let bus: Bus
let key: LinkKey

beforeAll(async () => {
  bus = await servers.connectBus()
  const { sealed } = await db
    .selectFrom('sealedSettings')
    .select('sealed')
    .where('key', '=', 'linkSecret')
    .executeTakeFirstOrThrow()
  const linkSecret = await unsealer.unseal(sealed, 'settings/linkSecret')
  key = new LinkKey(Buffer.from(linkSecret, 'hex'))
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

const makeLink = (content: SignedLink) => linkTo(gateway.url, key, content) ?? ''
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

/** Data of the stored events with the name `event` whose body contains `part`. */
async function eventsWith(part: string, event: string) {
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

/** Waits until earlier hits (opens and clicks) are stored or dropped, by recording one more hit. */
async function flushHits(): Promise<void> {
  const msg = `<${crypto.randomUUID()}@mail.example>`
  await visit(makeLink({ act: 'open', acc: account, msg }))
  await eventually(async () => expect(await eventsWith(msg, 'trackOpen')).toHaveLength(1))
}

test('/open.gif: records one trackOpen with the visitor', async () => {
  const msg = '<shown@mail.example>'
  const response = await visit(makeLink({ act: 'open', acc: account, msg }))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/gif'])
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect((await response.arrayBuffer()).byteLength).toBe(42)
  await eventually(async () =>
    expect(await eventsWith(msg, 'trackOpen')).toEqual([
      { messageId: msg, remoteAddress: '192.0.2.7', userAgent: person },
    ]),
  )
})

test('/redirect: redirects to the signed URL and records trackClick', async () => {
  const url = 'https://shop.example/a?b=1&c=ü#top'
  const response = await visit(makeLink({ act: 'click', acc: account, msg: messageId, url }))
  expect([response.status, response.headers.get('location')]).toEqual([
    302,
    'https://shop.example/a?b=1&c=%C3%BC#top',
  ])
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  await eventually(async () =>
    expect(await eventsWith('shop.example', 'trackClick')).toEqual([
      { messageId, url, remoteAddress: '192.0.2.7', userAgent: person },
    ]),
  )
})

test('/open.gif, /redirect: automated clients get the response but record no event', async () => {
  const msg = '<machines@mail.example>'
  const pixel = makeLink({ act: 'open', acc: account, msg })
  const click = makeLink({ act: 'click', acc: account, msg, url: 'https://shop.example/' })
  const responses = [
    await visit(pixel, { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0)' }),
    await visit(pixel, { 'x-forwarded-for': '66.249.66.1' }),
    await visit(pixel, {}, 'HEAD'),
    await visit(click, { 'x-forwarded-for': '2001:4860:4801:10::1' }),
    await visit(click, {}, 'HEAD'),
    await visit(click, { 'sec-purpose': 'prefetch;prerender' }),
  ]
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 302, 302, 302])
  await flushHits()
  expect([
    ...(await eventsWith(msg, 'trackOpen')),
    ...(await eventsWith(msg, 'trackClick')),
  ]).toEqual([])
})

test('trackRepeatWindow: with 0 each request is an event, otherwise one per window', async () => {
  const opened = async (msg: string, window: number | null) => {
    await gateway.call('POST', '/v1/settings', { body: { trackRepeatWindow: window } })
    const pixel = makeLink({ act: 'open', acc: account, msg })
    for (let n = 0; n < 5; n += 1) expect((await visit(pixel)).status).toBe(200)
    await flushHits()
    return (await eventsWith(msg, 'trackOpen')).length
  }
  expect(await opened('<each@mail.example>', 0)).toBe(5)
  // Windows of repeated opens begin at fixed times, so the requests of the test may be in two
  // windows.
  expect([1, 2]).toContain(await opened('<daily@mail.example>', 86_400))
  await gateway.call('POST', '/v1/settings', { body: { trackRepeatWindow: null } })
})

test('/open.gif: image proxy of Gmail, records trackOpen', async () => {
  const msg = '<gmail@mail.example>'
  const proxy =
    'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
  await visit(makeLink({ act: 'open', acc: account, msg }), { 'user-agent': proxy })
  await eventually(async () => expect(await eventsWith(msg, 'trackOpen')).toHaveLength(1))
})

test('/open.gif: 250 hits of one link, records a limited number', async () => {
  const msg = '<hammered@mail.example>'
  const pixel = makeLink({ act: 'open', acc: account, msg })
  for (let n = 0; n < 250; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => visit(pixel, { 'user-agent': `${person} ${n + i}` })),
    )
  await flushHits()
  const { length } = await eventsWith(msg, 'trackOpen')
  expect(length).toBeGreaterThanOrEqual(100)
  expect(length).toBeLessThan(200)
})

test('public links: 403 without a valid signature', async () => {
  const good = new URL(
    makeLink({ act: 'click', acc: account, msg: messageId, url: 'https://shop.example/' }),
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
    ...[
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      'https:evil.example',
      'https://shop.example@evil.example/',
      'https%253A%252F%252Fevil.example',
      'javascript:alert(1)',
      '%0d%0aLocation:%20https://evil.example/',
    ].flatMap((url) => [`?url=${url}`, `?data=${url}&sig=${sig}`, `?data=${data}&sig=${url}`]),
    `?data=${data}&sig=${'A'.repeat(43)}`,
    `?data=${data}&sig=${key.id}.${'A'.repeat(43)}`,
    `?data=${data}&sig=${'A'.repeat(8)}.${'A'.repeat(43)}`,
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
  // A signed tracking link is valid for its own path only.
  expect((await visit(`${gateway.url}/unsubscribe${good.search}`)).status).toBe(403)
  const script = makeLink({
    act: 'click',
    acc: account,
    msg: messageId,
    url: 'javascript:alert(1)',
  })
  expect((await visit(script)).status).toBe(403)
})

const list = (recipient: string, listId = 'news') => {
  const baseUrl = gateway.url
  const { unsubscribeUrl } = listHeaders({ baseUrl, key, account, listId, recipient, messageId })
  const target = `${gateway.url}/unsubscribe/address${new URL(unsubscribeUrl).search}`
  const form = (action: string) => new URLSearchParams({ action })
  return { url: unsubscribeUrl, form, target }
}
const findBlock = async (recipient: string) =>
  (
    await db
      .selectFrom('accountListBlocks')
      .select(['listId', 'source', 'account', 'messageId'])
      .where('recipient', '=', recipient)
      .execute()
  ).at(0)

test('/unsubscribe: page and form change the subscription repeatedly', async () => {
  const { url, form, target } = list('Ann@Example.com')
  const page = await visit(url)
  const html = await page.text()
  expect(page.status).toBe(200)
  expect(html).toContain('Ann@Example.com')
  expect(html).toContain('action="unsubscribe/address?data=')
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-/,
  )
  expect(page.headers.get('x-robots-tag')).toBe('noindex, nofollow')
  expect(await findBlock('ann@example.com')).toBeUndefined()

  for (const action of ['unsubscribe', 'unsubscribe', 'subscribe', 'subscribe', 'unsubscribe'])
    expect((await post(target, form(action))).status).toBe(200)
  expect(await findBlock('ann@example.com')).toEqual({
    listId: 'news',
    source: 'form',
    account,
    messageId,
  })
  const unsubscribed = await eventsWith('Ann@Example.com', 'listUnsubscribe')
  expect(unsubscribed).toHaveLength(2)
  expect(unsubscribed[0]).toMatchObject({
    recipient: 'Ann@Example.com',
    messageId,
    listId: 'news',
    remoteAddress: '192.0.2.7',
  })
  expect(await eventsWith('Ann@Example.com', 'listSubscribe')).toHaveLength(1)
  expect(await (await visit(url)).text()).toContain('Subscribe again')
})

test('POST /unsubscribe: one-click in any encoding, unsubscribes once', async () => {
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
    expect(await findBlock(recipient)).toMatchObject({ source: 'one-click' })
    expect(await eventsWith(recipient, 'listUnsubscribe')).toHaveLength(1)
  }
})

test('POST /unsubscribe: internationalized domain, applies to the ASCII form', async () => {
  const { url, form, target } = list('Eva@Bücher.example')
  expect((await post(url, 'List-Unsubscribe=One-Click')).status).toBe(200)
  expect(await findBlock('eva@xn--bcher-kva.example')).toMatchObject({ source: 'one-click' })
  expect(await (await visit(url)).text()).toContain('Subscribe again')
  expect((await post(target, form('subscribe'))).status).toBe(200)
  expect(await findBlock('eva@xn--bcher-kva.example')).toBeUndefined()
})

test('POST /unsubscribe: link of the format without key ids, unsubscribes', async () => {
  const content = { act: 'unsub', acc: account, list: 'news', rcpt: 'old@example.com' }
  const data = Buffer.from(JSON.stringify(content)).toString('base64url')
  const sig = createHmac('sha256', key.secret).update(data).digest('base64url')
  const url = `${gateway.url}/unsubscribe?data=${data}&sig=${sig}`
  expect((await post(url, 'List-Unsubscribe=One-Click')).status).toBe(200)
  expect(await findBlock('old@example.com')).toMatchObject({ source: 'one-click', account })
})

test('POST /unsubscribe: other bodies and actions, change nothing', async () => {
  const { url, form, target } = list('carl@example.com')
  expect((await post(url, 'x=y')).status).toBe(200)
  expect((await post(target, form('delete'))).status).toBe(400)
  expect((await post(`${gateway.url}/unsubscribe/address`, form('unsubscribe'))).status).toBe(403)
  expect((await post(url, 'x'.repeat(20_000))).status).toBe(413)
  expect(await findBlock('carl@example.com')).toBeUndefined()
})

/**
 * Sends the head of a POST request that announces a body of 10 bytes. Returns the client, which has
 * not sent the body.
 */
async function announce(url: string): Promise<RawClient> {
  const { port, pathname, search } = new URL(url)
  const client = await RawClient.open(Number(port))
  client.send(`POST ${pathname}${search} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n`)
  return client
}

test.each([
  '/unsubscribe',
  '/unsubscribe/address',
  '/accounts/new/imap',
  '/accounts/new/imap/test',
  '/accounts/new/imap/server',
])('POST %s: without a valid signature in the query, 403 before the body is sent', async (path) => {
  const client = await announce(`${gateway.url}${path}?data=x&sig=y`)
  expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 403 /)
  client.close()
})

test('POST /unsubscribe: a valid link with a body that never ends, 408', async () => {
  const hasty = await servers.start({}, { publicBodyTimeoutMs: 200 })
  const { search } = new URL(list('erin@example.com').url)
  await eventually(async () =>
    expect((await visit(`${hasty.url}/unsubscribe${search}`)).status).toBe(200),
  )
  for (const path of ['/unsubscribe', '/unsubscribe/address']) {
    const client = await announce(`${hasty.url}${path}${search}`)
    expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 408 /)
  }
  expect(await findBlock('erin@example.com')).toBeUndefined()
})

test('POST /unsubscribe/address: 20 concurrent requests, record one event', async () => {
  const { form, target } = list('dora@example.com')
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => post(target, form('unsubscribe'))),
  )
  expect(responses.every(({ status }) => status === 200)).toBe(true)
  expect(await eventsWith('dora@example.com', 'listUnsubscribe')).toHaveLength(1)
})

test('/unsubscribe: escapes link values and pageBrandName, inserts templateHeader', async () => {
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

test('/open.gif: the event is published', async () => {
  const msg = '<published@mail.example>'
  await visit(makeLink({ act: 'open', acc: account, msg }))
  await eventually(async () => {
    const { publishedAt } = await db
      .selectFrom('events')
      .select('publishedAt')
      .where('body', 'like', `%${msg}%`)
      .executeTakeFirstOrThrow()
    expect(publishedAt).not.toBeNull()
  })
})

test('/redirect: deleted account, redirects but records no event', async () => {
  const url = 'https://deleted.example/'
  const response = await visit(makeLink({ act: 'click', acc: 'deleted', msg: messageId, url }))
  expect(response.status).toBe(302)
  await flushHits()
  expect(await eventsWith('deleted.example', 'trackClick')).toEqual([])
})
