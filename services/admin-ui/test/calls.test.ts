import { once } from 'node:events'
import { type IncomingMessage, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { type CallWorld, startCallWorld } from './call-world.ts'

let world: CallWorld
let owner: string

beforeAll(async () => {
  world = await startCallWorld()
  owner = await world.signIn('owner')
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => {
  world.gateway.requests.length = 0
  world.gateway.reply = (_request, response) => void response.end('{}')
})

/** Sends a forwarded call whose request body and response the test writes and reads itself. */
function open(method: string, path: string, headers: Record<string, string> = {}) {
  const { port } = world
  const all = { 'x-test-session': owner, ...headers }
  return send({ host: '127.0.0.1', port, method, path, headers: all, agent: false })
}

/** Resolves when the response to a forwarded call is closed, even if the response is incomplete. */
function closing(incoming: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    incoming.on('error', () => undefined).once('close', resolve)
  })
}

test('mountCalls: forwards path, query and permitted headers only, with credential and address', async () => {
  await world.call(owner, '/admin/call/v1/accounts?page=2&query=a%2Fb', {
    headers: {
      cookie: 'secret=1',
      authorization: 'Bearer other',
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      accept: 'application/json',
      'x-svc-timeout': '5000',
      'x-svc-admin': '1',
      origin: 'https://admin.example.com',
    },
  })
  expect(world.gateway.requests).toHaveLength(1)
  const [{ url, headers } = { url: '', headers: {} }] = world.gateway.requests
  expect(url).toBe('/v1/accounts?page=2&query=a%2Fb')
  expect(headers).toEqual({
    accept: 'application/json',
    'accept-encoding': 'identity',
    authorization: `Bearer sess_${owner}`,
    connection: 'keep-alive',
    host: new URL(world.gateway.url).host,
    'user-agent': expect.stringContaining('Posthorn/'),
    'x-forwarded-for': '192.0.2.7',
    'x-request-id': expect.any(String),
    'x-svc-timeout': '5000',
  })
})

test('mountCalls: returns status, headers and bytes unchanged, without cookies and CORS', async () => {
  const bytes = Buffer.from([0, 255, 10, 13, 128])
  world.gateway.reply = (request, response) => {
    response.writeHead(206, {
      'content-type': 'application/octet-stream',
      'content-range': `bytes 5-9/${request.headers.range}`,
      'cache-control': 'private',
      etag: '"x"',
      'set-cookie': 'a=b',
      'access-control-allow-origin': '*',
      'strict-transport-security': 'max-age=1',
      'content-security-policy': "default-src 'self'",
      connection: 'x-hop',
      'x-hop': '1',
    })
    response.end(bytes)
  }
  const path = '/admin/call/v1/account/jane/attachment/AAAA'
  const { status, headers, body } = await world.call(owner, path, {
    headers: { range: 'bytes=5-9' },
  })
  expect({ status, body }).toEqual({ status: 206, body: bytes })
  expect(headers).toMatchObject({
    'content-range': 'bytes 5-9/bytes=5-9',
    'cache-control': 'private',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    etag: '"x"',
  })
  for (const name of [
    'set-cookie',
    'access-control-allow-origin',
    'strict-transport-security',
    'x-hop',
  ])
    expect(headers).not.toHaveProperty(name)
})

test('mountCalls: streams an upload before its end, bytes unchanged', async () => {
  const received = Promise.withResolvers<void>()
  world.gateway.reply = (request, response) => {
    request.once('data', () => received.resolve())
    void buffer(request).then((body) => response.end(String(body.length)))
  }
  const upload = open('POST', '/admin/call/v1/account/jane/submit', {
    'content-type': 'message/rfc822',
  })
  upload.write(Buffer.alloc(100_000, 'a'))
  await received.promise
  upload.end(Buffer.alloc(1_500_000, 'b'))
  const [incoming] = (await once(upload, 'response')) as [IncomingMessage]
  expect(String(await buffer(incoming))).toBe('1600000')
})

test('mountCalls: forwards a JSON body of 2 MB byte for byte and records that names are missing', async () => {
  const sent = `{ "text" : "${'ä'.repeat(1_000_000)}" }`
  let body = Buffer.alloc(0)
  world.gateway.reply = (request, response) => {
    void buffer(request).then((received) => {
      body = received
      response.end('{}')
    })
  }
  const headers = { 'content-type': 'application/json' }
  await world.call(owner, '/admin/call/v1/account/large/submit', {
    method: 'POST',
    headers,
    body: sent,
  })
  expect(body.toString()).toBe(sent)
  await eventually(async () => {
    const rows = (await world.rows()).filter(({ account }) => account === 'large')
    expect(rows.map(({ phase, keys }) => [phase, keys])).toEqual([
      ['attempt', ['(body above 1 MB)']],
      ['outcome', ['(body above 1 MB)']],
    ])
  })
})

test('mountCalls: an event arrives before the end of its stream, which ends with the session', async () => {
  const session = await world.signIn('operator')
  world.gateway.reply = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('id: 1\ndata: a\n\n')
  }
  const stream = open('GET', '/admin/call/v1/changes', {
    'x-test-session': session,
    'last-event-id': '0',
  })
  stream.end()
  const [incoming] = (await once(stream, 'response')) as [IncomingMessage]
  const [event] = await once(incoming, 'data')
  expect(String(event)).toBe('id: 1\ndata: a\n\n')
  expect(world.gateway.requests[0]?.headers['last-event-id']).toBe('0')
  const closed = closing(incoming)
  // The person's session is deleted without a broadcast, so that the periodic check ends the event
  // stream.
  await world.db.deleteFrom('adminSessions').where('id', '=', session).execute()
  await closed
  expect(incoming.complete).toBe(false)
})

test.each<[string, (session: string) => Promise<unknown>]>([
  ['a changed role', (id) => setPerson(id, { role: 'auditor' })],
  ['a disabled person', (id) => setPerson(id, { disabled: true })],
])('SessionWatch.wake: after %s, ends open streams', async (_name, change) => {
  const session = await world.signIn('support')
  world.gateway.reply = (_request, response) => void response.write(': open\n\n')
  const stream = open('GET', '/admin/call/v1/changes', { 'x-test-session': session })
  stream.end()
  const [incoming] = (await once(stream, 'response')) as [IncomingMessage]
  const closed = closing(incoming.resume())
  await change(session)
  world.sessions.wake()
  await closed
})

async function setPerson(session: string, values: { role?: 'auditor'; disabled?: boolean }) {
  const person = world.db.selectFrom('adminSessions').select('person').where('id', '=', session)
  await world.db.updateTable('adminPeople').set(values).where('id', '=', person).execute()
}

test('mountCalls: a client that disconnects ends the call at api-gateway', async () => {
  const arrived = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  world.gateway.reply = (_request, response) => {
    response.once('close', () => aborted.resolve())
    arrived.resolve()
  }
  const call = open('PUT', '/admin/call/v1/account/left/sync')
  call.on('error', () => undefined)
  call.end()
  await arrived.promise
  call.destroy()
  await aborted.promise
  const outcome = () =>
    world.rows().then((rows) => rows.filter(({ account }) => account === 'left'))
  await eventually(async () =>
    expect(await outcome()).toMatchObject([
      { phase: 'attempt', outcome: null },
      { phase: 'outcome', outcome: 'ClientDisconnected', status: null },
    ]),
  )
})

test('Forwarder: reuses its connection to api-gateway', async () => {
  const ports = new Set<number | undefined>()
  world.gateway.reply = ({ socket }, response) => {
    ports.add(socket.remotePort)
    response.end('{}')
  }
  for (let call = 0; call < 5; call += 1) await world.call(owner, '/admin/call/v1/stats')
  expect(ports.size).toBe(1)
})

test('mountCalls: HEAD is forwarded as HEAD', async () => {
  world.gateway.reply = (_request, response) =>
    void response.writeHead(200, { 'content-length': '7' }).end()
  const { status, headers } = await world.call(owner, '/admin/call/v1/stats', { method: 'HEAD' })
  expect([status, headers['content-length']]).toEqual([200, '7'])
  expect(world.gateway.requests).toMatchObject([{ method: 'HEAD' }])
})

test('mountCalls: without a session, 401 and nothing is forwarded', async () => {
  expect(await world.call('', '/admin/call/v1/accounts')).toMatchObject({ status: 401 })
  expect(world.gateway.requests).toEqual([])
})

test.each([
  ['GET', '/admin/call/health', 404],
  ['GET', '/admin/call/metrics', 404],
  ['GET', '/admin/call/openapi.json', 404],
  ['GET', '/admin/call/v1/unknown', 404],
  ['GET', '/admin/call//v1/accounts', 404],
  ['GET', '/admin/call/v1//accounts', 404],
  ['GET', '/admin/call/v1/accounts/', 404],
  ['GET', '/admin/call/V1/accounts', 404],
  ['GET', '/admin/call/v1/account/..', 404],
  ['GET', '/admin/call/v1/account/%2e%2e', 404],
  ['GET', '/admin/call/v1/account/%252e%252e', 404],
  ['GET', '/admin/call/v1/account/..%2f..%2fmetrics', 404],
  ['GET', '/admin/call/v1/account/a%2f..%2f..', 404],
  ['GET', '/admin/call/v1/account/..%5cmetrics', 404],
  ['GET', '/admin/call/v1/account/a%2f%2fb', 404],
  ['GET', '/admin/call/v1/account/\\metrics', 404],
  ['GET', '/admin/call/v1/account/a#b', 404],
  ['GET', '/admin/call/@example.com/v1/accounts', 404],
  ['GET', 'http://example.com/admin/call/v1/accounts', 404],
  ['GET', '/admin/call/v1/account/%zz', 400],
  ['GET', '/admin/call/v1/accounts?access_token=x', 400],
  ['GET', '/admin/call/v1/accounts?a=1&access%5Ftoken=x', 400],
  ['GET', '/admin/call/v1/accounts?access_token[]=x', 400],
  ['PATCH', '/admin/call/v1/accounts', 404],
  ['POST', '/admin/call/v1/accounts', 404],
])('mountCalls: %s %s is refused with %i and not forwarded', async (method, path, status) => {
  expect(await world.call(owner, path, { method })).toMatchObject({ status })
  expect(world.gateway.requests).toEqual([])
})

test('Forwarder: above 64 concurrent calls of a session, 429', async () => {
  const waiting: (() => void)[] = []
  world.gateway.reply = (_request, response) => {
    response.writeHead(200).flushHeaders()
    waiting.push(() => response.end())
  }
  const calls = Array.from({ length: 64 }, () => world.call(owner, '/admin/call/v1/changes'))
  await eventually(() => expect(waiting).toHaveLength(64))
  expect(await world.call(owner, '/admin/call/v1/changes')).toMatchObject({ status: 429 })
  expect(await world.countOf('limited')).toBe(1)
  const done = await world.countOf('done')
  for (const end of waiting) end()
  for (const { status } of await Promise.all(calls)) expect(status).toBe(200)
  await eventually(async () => expect(await world.countOf('done')).toBe(done + 64))
})
