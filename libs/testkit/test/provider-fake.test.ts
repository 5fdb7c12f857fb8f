import { request as httpsRequest } from 'node:https'
import { expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import {
  DeliveryGate,
  type ProviderFake,
  type ProviderFakeOptions,
  providerFaults,
  readDescription,
  startProviderFake,
  UnitQuota,
  VirtualClock,
} from '../src/providers/index.ts'

const gmail = readDescription('gmail')
const graph = readDescription('graph')

const profile = {
  emailAddress: 'jane@mail.example',
  messagesTotal: 3,
  threadsTotal: 2,
  historyId: '1234',
}
const folder = { id: 'AAMk=', displayName: 'Posteingang', parentFolderId: 'AAMk1', isHidden: false }

/** Starts a provider fake with some endpoints of the Gmail API and of Microsoft Graph. */
function startFake(options: Partial<ProviderFakeOptions> = {}): Promise<ProviderFake> {
  return startProviderFake({
    descriptions: [gmail, graph],
    undescribed: [{ id: 'token', method: 'POST', path: '/token' }],
    ...options,
    handlers: {
      'gmail.users.getProfile': () => ({ body: profile }),
      'gmail.users.labels.list': () => ({ body: { labels: [{ id: 'INBOX', name: 'INBOX' }] } }),
      'gmail.users.labels.create': ({ body }) => ({ body: { id: 'Label_1', ...(body as object) } }),
      'gmail.users.labels.delete': () => ({}),
      'GET /mailFolders': () => ({ body: { value: [folder] } }),
      'POST /messages/{message-id}/move': ({ params }) => ({
        status: 201,
        body: { id: params['message_id'], subject: null, from: null },
      }),
      token: () => ({ body: { access_token: 'x', expires_in: 3599 } }),
      ...options.handlers,
    },
  })
}

async function get(fake: ProviderFake, path: string, init: RequestInit = {}) {
  const response = await fetch(`${fake.origin}${path}`, init)
  return { status: response.status, text: await response.text() }
}

const jsonBody = (body: object, method = 'POST'): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

const profilePath = '/gmail/v1/users/me/profile'

test('ProviderFake: described requests and responses, are served and logged', async () => {
  const clock = new VirtualClock(new Date('2026-01-02T00:00:00Z'))
  const unitsOf = (operation: string) => (operation === 'gmail.users.getProfile' ? 5 : 2)
  await using fake = await startFake({ clock, unitsOf })
  expect(await get(fake, `${profilePath}?fields=historyId&prettyPrint=false`)).toEqual({
    status: 200,
    text: JSON.stringify(profile),
  })
  clock.advance(60_000)
  await get(fake, '/gmail/v1/users/jane%40mail.example/labels')
  const folders = await get(fake, '/v1.0/me/mailFolders?$top=250&includeHiddenFolders=true')
  expect(JSON.parse(folders.text)).toEqual({ value: [folder] })
  expect(await get(fake, '/gmail/v1/users/me/labels/Label_1', { method: 'DELETE' })).toEqual({
    status: 204,
    text: '',
  })
  const move = jsonBody({ destinationId: 'AAMk2' })
  expect((await get(fake, '/v1.0/users/a%2Fb/messages/A-_%3D%3D/move', move)).status).toBe(201)
  expect(fake.requests('POST /messages/{message-id}/move')).toMatchObject([
    { params: { user_id: 'a/b', message_id: 'A-_==' }, body: { destinationId: 'AAMk2' } },
  ])
  expect((await get(fake, '/token?any=1', { method: 'POST', body: 'grant_type=x' })).status).toBe(
    200,
  )
  expect(fake.requests('gmail.users.getProfile')).toMatchObject([
    { units: 5, at: Date.UTC(2026, 0, 2), status: 200, inFlight: 1, path: profilePath },
  ])
  expect(fake.unitsSince()).toBe(15)
  expect(fake.unitsSince(clock.now)).toBe(10)
})

test.each<[title: string, path: string, init: RequestInit, text: RegExp]>([
  ['unknown path', '/gmail/v1/users/me/nothing', {}, /is not described/],
  ['unknown method', profilePath, { method: 'PATCH' }, /is not described/],
  ['unknown query parameter', `${profilePath}?foo=1`, {}, /foo is not described/],
  ['repeated query parameter', `${profilePath}?fields=a&fields=b`, {}, /fields is repeated/],
  ['query parameter of another type', '/v1.0/me/mailFolders?$top=many', {}, /\$top.*integer/],
  ['unknown selection', '/v1.0/me/mailFolders?$select=id,colour', {}, /\$select.*allowed values/],
  ['mailbox-wide delta', '/v1.0/me/messages/delta', {}, /^$|not supported by the fake/],
  [
    'unknown member',
    '/gmail/v1/users/me/labels',
    jsonBody({ name: 'x', colour: 'red' }),
    /additional properties.*colour/,
  ],
  [
    'member of another type',
    '/gmail/v1/users/me/labels',
    jsonBody({ name: 7 }),
    /\/name must be string/,
  ],
  [
    'read-only member',
    '/v1.0/me/messages/A/',
    jsonBody({ subject: 'x', id: 'A' }, 'PATCH'),
    /is not described/,
  ],
  [
    'read-only member of a message',
    '/v1.0/me/messages/A',
    jsonBody({ isRead: true, id: 'A' }, 'PATCH'),
    /must NOT be valid/,
  ],
  ['body where none is described', '/gmail/v1/users/me/stop', jsonBody({}), /a body/],
  ['missing body', '/gmail/v1/users/me/labels', { method: 'POST' }, /content type \(none\)/],
])('ProviderFake: request with %s, fails with 500 and at disposal', async (...row) => {
  const [, path, init, text] = row
  const fake = await startFake()
  const response = await get(fake, path, init)
  expect(response.status).toBe(500)
  expect(response.text).toMatch(text)
  expect(fake.violations).toMatchObject([{ direction: 'request' }])
  expect(fake.requests()).toHaveLength(1)
  await expect(fake[Symbol.asyncDispose]()).rejects.toThrow(text)
})

test.each<[title: string, operation: string, path: string, response: object, text: RegExp]>([
  [
    'unknown member',
    'gmail.users.getProfile',
    profilePath,
    { body: { ...profile, name: 'x' } },
    /additional properties/,
  ],
  [
    'number instead of a text',
    'gmail.users.getProfile',
    profilePath,
    { body: { historyId: 1 } },
    /\/historyId must be string/,
  ],
  [
    'undescribed status',
    'gmail.users.getProfile',
    profilePath,
    { status: 201, body: profile },
    /status 201 is not described/,
  ],
  [
    'error of another form',
    'gmail.users.getProfile',
    profilePath,
    { status: 404, body: { message: 'gone' } },
    /additional properties/,
  ],
  [
    'unknown member in a list',
    'GET /mailFolders',
    '/v1.0/me/mailFolders',
    { body: { value: [{ ...folder, wellKnownName: 'inbox' }] } },
    /\/value\/0 must NOT have unevaluated properties/,
  ],
  [
    'text without JSON',
    'GET /mailFolders',
    '/v1.0/me/mailFolders',
    { body: 'hello' },
    /content type text\/plain/,
  ],
  [
    'two kinds of links',
    'GET /mailFolders/{mailFolder-id}/messages/delta()',
    '/v1.0/me/mailFolders/A/messages/delta?$select=id',
    { body: { value: [], '@odata.nextLink': 'https://a/b', '@odata.deltaLink': 'https://a/c' } },
    /exactly one schema/,
  ],
])('ProviderFake: response with %s, becomes 500 and fails the test', async (...row) => {
  const [, operation, path, response, text] = row
  const fake = await startFake({ handlers: { [operation]: () => response } })
  expect((await get(fake, path)).status).toBe(500)
  expect(fake.violations).toMatchObject([{ direction: 'response', operation }])
  expect(() => fake.assertValid()).toThrow(text)
  await expect(fake[Symbol.asyncDispose]()).rejects.toThrow(text)
})

test('ProviderFake: operation without a handler, or a handler that fails, violates', async () => {
  const fake = await startFake({
    handlers: {
      'gmail.users.getProfile': () => {
        throw new Error('broken')
      },
    },
  })
  expect((await get(fake, '/gmail/v1/users/me/messages')).status).toBe(500)
  expect((await get(fake, profilePath)).status).toBe(500)
  expect(fake.violations.map(({ text }) => text)).toEqual([
    'is not supported by the fake',
    'handler failed: Error: broken',
  ])
  await expect(fake[Symbol.asyncDispose]()).rejects.toThrow('broken')
})

test('ProviderFake: delta page with removed messages and derived types, is valid', async () => {
  const path = '/v1.0/me/mailFolders/A/messages/delta()?$deltatoken=x'
  const value = [
    { id: 'B', '@odata.type': '#microsoft.graph.message', '@removed': { reason: 'deleted' } },
    { id: 'C', '@odata.etag': 'W/"1"', isRead: true, parentFolderId: 'A', from: null },
    { '@odata.type': '#microsoft.graph.eventMessageRequest', id: 'D', isOutOfDate: false },
  ]
  const page = { value, '@odata.deltaLink': 'https://graph.microsoft.com/v1.0/x' }
  await using fake = await startFake({
    handlers: { 'GET /mailFolders/{mailFolder-id}/messages/delta()': () => ({ body: page }) },
  })
  expect(JSON.parse((await get(fake, path)).text)).toEqual(page)
})

test('faults: times and after, apply to some requests; the returned function removes them', async () => {
  await using fake = await startFake()
  const body = { error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } }
  const limited = providerFaults.replies({ status: 429, headers: { 'retry-after': '7' }, body })
  const statuses = async (count: number) => {
    const all: number[] = []
    for (let index = 0; index < count; index++) all.push((await get(fake, profilePath)).status)
    return all
  }
  fake.on('gmail.users.getProfile', providerFaults.times(2, limited))
  expect(await statuses(3)).toEqual([429, 429, 200])
  const html = providerFaults.replies({ status: 502, body: '<html>' })
  const remove = fake.on('*', providerFaults.after(1, html))
  expect(await statuses(3)).toEqual([200, 502, 502])
  remove()
  const removeAlways = fake.on('*', providerFaults.always(limited))
  expect(await statuses(2)).toEqual([429, 429])
  const response = await fetch(`${fake.origin}${profilePath}`)
  expect(response.headers.get('retry-after')).toBe('7')
  removeAlways()
  expect(await statuses(1)).toEqual([200])
})

test('faults: deviates, responds with what the description does not permit', async () => {
  await using fake = await startFake()
  const cut = { headers: { 'content-type': 'application/json' }, body: '{"value":[' }
  fake.on('*', providerFaults.times(1, providerFaults.deviates(cut)))
  expect(await get(fake, profilePath)).toEqual({ status: 200, text: '{"value":[' })
  expect(fake.violations).toEqual([])
  expect((await get(fake, profilePath)).status).toBe(200)
})

test('faults: resets, end the connection before or after the effect', async () => {
  let executed = 0
  await using fake = await startFake({
    handlers: {
      'gmail.users.getProfile': () => ({ body: { ...profile, messagesTotal: ++executed } }),
    },
  })
  fake.on('*', providerFaults.times(1, providerFaults.resets()))
  await expect(get(fake, profilePath)).rejects.toThrow()
  expect(executed).toBe(0)
  fake.on('*', providerFaults.times(1, providerFaults.resets('after')))
  await expect(get(fake, profilePath)).rejects.toThrow()
  expect(executed).toBe(1)
  expect(fake.requests().map(({ status }) => status)).toEqual([undefined, undefined])
  expect((await get(fake, profilePath)).status).toBe(200)
})

test('faults: truncatesAfter, cuts the body after its beginning', async () => {
  await using fake = await startFake()
  fake.on('*', providerFaults.times(1, providerFaults.truncatesAfter(10)))
  const response = await fetch(`${fake.origin}${profilePath}`)
  expect(response.headers.get('content-length')).toBe(String(JSON.stringify(profile).length))
  const chunks: Uint8Array[] = []
  await expect(
    (async () => {
      for await (const chunk of response.body ?? []) chunks.push(chunk as Uint8Array)
    })(),
  ).rejects.toThrow()
  expect(Buffer.concat(chunks).toString()).toBe(JSON.stringify(profile).slice(0, 10))
})

test('faults: holds, delivers as many bytes as the gate permits', async () => {
  await using fake = await startFake()
  const gate = new DeliveryGate()
  fake.on('*', providerFaults.times(1, providerFaults.holds(gate)))
  const response = await fetch(`${fake.origin}${profilePath}`)
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await eventually(() => gate.waiting === 1)
  expect(fake.requests()).toMatchObject([{ status: 200 }])
  const other = await get(fake, profilePath)
  expect(other.status).toBe(200)
  expect(fake.requests().at(-1)?.inFlight).toBe(2)
  gate.pass(5)
  const text = JSON.stringify(profile)
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(text.slice(0, 5))
  gate.open()
  let rest = ''
  for (let next = await reader.read(); !next.done; next = await reader.read())
    rest += Buffer.from(next.value).toString()
  expect(rest).toBe(text.slice(5))
})

test('execute: part of a batch, is validated and logged like a request', async () => {
  const fake = await startFake({
    handlers: {
      'POST /$batch': async ({ body }) => {
        const { requests } = body as { requests: { id: string; method: string; url: string }[] }
        const responses = []
        for (const { id, method, url } of requests) {
          const part = { method, url: `/v1.0${url}`, headers: {}, raw: Buffer.alloc(0) }
          const { status, bytes } = await fake.execute(part)
          responses.push({ id, status, body: JSON.parse(bytes.toString()) as object })
        }
        return { body: { responses } }
      },
    },
  })
  await using disposable = fake
  const requests = [{ id: '1', method: 'GET', url: '/me/mailFolders?$top=1' }]
  const { text } = await get(fake, '/v1.0/$batch', jsonBody({ requests }))
  expect(JSON.parse(text)).toEqual({
    responses: [{ id: '1', status: 200, body: { value: [folder] } }],
  })
  expect(disposable.requests().map(({ operation }) => operation)).toEqual([
    'POST /$batch',
    'GET /mailFolders',
  ])
})

test('ProviderFake: tls, serves HTTPS with its certificate', async () => {
  await using fake = await startFake({ tls: true })
  const status = await new Promise((resolve, reject) => {
    httpsRequest(`${fake.origin}${profilePath}`, { ca: fake.cert }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end()
  })
  expect(status).toBe(200)
})

test('VirtualClock: wait, resolves when the test has moved the clock, earliest first', async () => {
  const clock = new VirtualClock(new Date(0))
  const order: number[] = []
  const waits = [30, 10, 20].map((ms) => clock.wait(ms).then(() => void order.push(ms)))
  await clock.wait(0)
  clock.advance(25)
  await Promise.all(waits.slice(1))
  expect(order).toEqual([10, 20])
  clock.advance(5)
  await Promise.all(waits)
  expect(order).toEqual([10, 20, 30])
  expect(clock.date).toEqual(new Date(30))
})

test('UnitQuota: units of a moving window, reports the delay until they are available', () => {
  const clock = new VirtualClock()
  const quota = new UnitQuota(clock, 100, 60_000)
  expect(quota.take('jane', 70)).toBe(0)
  clock.advance(10_000)
  expect(quota.take('jane', 30)).toBe(0)
  expect(quota.take('jane', 20)).toBe(50_000)
  expect(quota.take('jane', 80)).toBe(60_000)
  expect(quota.take('bob', 100)).toBe(0)
  expect(quota.take('jane', 101)).toBe(Infinity)
  clock.advance(50_000)
  expect(quota.take('jane', 20)).toBe(0)
})
