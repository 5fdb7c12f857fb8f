import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, RawClient } from '@posthorn/testkit'
import { readBody, serve, type ServeOptions } from '../src/index.ts'
import { readJson } from './read-json.ts'

// HTTP clients that misbehave, and send byte by byte. Only the limits of the server end these
// clients.

const maxConnections = 40
const maxConnectionsPerAddress = 3
/**
 * Client address with a connection limit of its own; the other addresses of the HTTP tests are
 * exempt.
 */
const limitedAddress = '127.0.0.9'
const waiting: (() => void)[] = []

function start(limits: Pick<ServeOptions, 'timeouts'> = {}) {
  return serve({
    host: '127.0.0.1',
    port: 0,
    log: createLogger('test', 'silent'),
    metrics: createMetrics('test'),
    checks: {},
    maxConnections,
    maxConnectionsPerAddress,
    isExemptAddress: (address) => address !== limitedAddress,
    ...limits,
    mount(app) {
      app.post('/echo', async (request, response) => {
        response.json({
          body: await readJson(request, {
            maxBytes: Number(request.query['limit'] ?? 1000),
            maxValues: 1000,
          }),
        })
      })
      app.post('/small', async (request, response) => {
        const body = await readBody(request, { maxBytes: 10, timeoutMs: 300 })
        response.json({ body: body.toString() })
      })
      app.get('/query', ({ query }, response) => void response.json(query))
      app.get('/long', (_request, response) => void response.send('x'.repeat(64 * 2 ** 20)))
      app.all('/wait', (_request, response) => {
        waiting.push(() => void response.json({}))
      })
    },
  })
}
const server = await start()
/** HTTP server with short time limits, only for tests of clients that exceed them. */
const hasty = await start({
  timeouts: { headMs: 500, requestMs: 1_000, idleMs: 500, readMs: 500, checkMs: 50 },
})
afterAll(() => Promise.all([server[Symbol.asyncDispose](), hasty[Symbol.asyncDispose]()]))
const { port } = server

/**
 * All bytes that the HTTP server sends in reply to given bytes, up to the end of the connection.
 */
async function answerTo(bytes: string, at = port): Promise<string> {
  const client = await RawClient.open(at)
  client.send(bytes)
  const answer = await client.untilClosed()
  client.close()
  return answer
}
const statusesOf = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
const post = (head: string, body = '') =>
  `POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${head}\r\n\r\n${body}`
const get = (target: string, more = '') =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${more}\r\n`
const chunked = 'Transfer-Encoding: chunked'
const type = 'Content-Type: application/json'

test.each([
  ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 400],
  ['an unknown method', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a version of its own', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n', 400],
  ['the opening of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a folded header', get('/query', 'X-A: 1\r\n 2\r\n'), 400],
  ['a space before the colon', get('/query', 'X-A : 1\r\n'), 400],
  ['a NUL in a header', get('/query', 'X-A: \0\r\n'), 400],
  ['a bare CR in a header', get('/query', 'X-A: 1\rX-B: 2\r\n'), 400],
  ['lines ended by LF alone', 'GET /query HTTP/1.1\nHost: a\n\n', 400],
  ['no host', 'GET /query HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['two hosts', get('/query', 'Host: b\r\n'), 400],
  ['a length and chunks', post(`Content-Length: 3\r\n${chunked}`, '0\r\n\r\n'), 400],
  ['chunks and a length', post(`${chunked}\r\nContent-Length: 3`, '0\r\n\r\n'), 400],
  ['two lengths that differ', post('Content-Length: 1\r\nContent-Length: 2', '{}'), 400],
  ['two lengths in one', post('Content-Length: 2, 2', '{}'), 400],
  ['a length with a sign', post('Content-Length: +2', '{}'), 400],
  ['a length below none', post('Content-Length: -1', '{}'), 400],
  ['a length in hexadecimals', post('Content-Length: 0x2', '{}'), 400],
  ['a length beyond all numbers', post('Content-Length: 99999999999999999999', '{}'), 400],
  ['another transfer encoding', post('Transfer-Encoding: xchunked', '0\r\n\r\n'), 400],
  ['chunks of what is packed', post('Transfer-Encoding: gzip, chunked', '0\r\n\r\n'), 400],
  ['HTTP/2 in the words of HTTP/1', 'GET /query HTTP/2.0\r\nHost: a\r\n\r\n', 400],
  ['chunks that are not the last', post('Transfer-Encoding: chunked, gzip', '0\r\n\r\n'), 400],
  ['a chunk of no size', post(`${type}\r\n${chunked}`, 'zz\r\n{}\r\n0\r\n\r\n'), 400],
  ['a chunk longer than it says', post(`${type}\r\n${chunked}`, '1\r\n{}\r\n0\r\n\r\n'), 400],
  ['an address of 17 kB', get(`/${'x'.repeat(17_000)}`), 431],
  ['a header of 17 kB', get('/query', `X-A: ${'x'.repeat(17_000)}\r\n`), 431],
  ['101 headers', get('/query', 'a:1\r\n'.repeat(99)), 431],
  ['a tunnel', 'CONNECT evil.example:25 HTTP/1.1\r\nHost: evil.example:25\r\n\r\n', 404],
  ['all there is', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
  ['another method', 'PATCH /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
  ['what echoes', 'TRACE /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 404],
  ['another protocol', get('/nope', 'Upgrade: websocket\r\nConnection: upgrade\r\n'), 404],
  ['two slashes and a host', get('//evil.example/query'), 404],
  ['an address elsewhere, of nothing here', get('http://evil.example/nope'), 404],
  ['a path that is not encoded', get('/%ff%fe'), 404],
  ['what we do not expect', post('Expect: a miracle\r\nContent-Length: 2', '{}'), 417],
  [
    'JSON that is packed',
    post(`${type}\r\nContent-Encoding: gzip\r\nContent-Length: 2`, '{}'),
    400,
  ],
  [
    'a chunked body over the limit',
    post(`${type}\r\n${chunked}`, `7d0\r\n${'x'.repeat(2000)}\r\n`),
    413,
  ],
  [
    'a body in crumbs',
    post(`${type}\r\n${chunked}`, '1\r\n \r\n'.repeat(10_001)).replace('/echo', '/echo?limit=1e6'),
    400,
  ],
])('serve: %s gets one JSON error without internals', async (...[, bytes, status]) => {
  const answer = await answerTo(bytes)
  expect(statusesOf(answer)).toEqual([status])
  expect(answer).toContain('\r\nContent-Type: application/json; charset=utf-8\r\n')
  expect(answer).toContain('\r\nX-Content-Type-Options: nosniff\r\n')
  expect(answer).toContain("\r\nContent-Security-Policy: default-src 'none'")
  expect(bodyOf(answer)).toMatchObject({ statusCode: status, error: expect.any(String) })
})

test('serve: a request target in absolute form is accepted (RFC 9112 §3.2.2)', async () => {
  expect(bodyOf(await answerTo(get('http://elsewhere.example/query?a=1')))).toEqual({ a: '1' })
})

test('serve: bytes after a body with both lengths are not a second request', async () => {
  const inner = 'GET /query?smuggled=1 HTTP/1.1\r\nHost: a\r\n\r\n'
  const length = `${type}\r\nContent-Length: ${inner.length}`
  expect(statusesOf(await answerTo(post(length, inner)))).toEqual([400])
  expect(statusesOf(await answerTo(post(`Content-Length: 0\r\n${chunked}`, inner)))).toEqual([400])
})

test('serve: pipelined requests are answered in order', async () => {
  const answer = await answerTo(
    'GET /query?n=1 HTTP/1.1\r\nHost: a\r\n\r\nGET /nope HTTP/1.1\r\nHost: a\r\n\r\n' +
      get('/query?n=3'),
  )
  expect(statusesOf(answer)).toEqual([200, 404, 200])
})

test('serve: a connection with thousands of pipelined requests is closed', async () => {
  const before = waiting.length
  const answer = await answerTo('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2_000))
  expect(answer).toBe('')
  expect(waiting.splice(before)).toHaveLength(100)
})

test('readJson: sends 100 Continue when it reads the body, not before', async () => {
  const asks = 'Expect: 100-continue\r\nContent-Length'
  const received = await RawClient.open(port)
  received.send(post(`${type}\r\n${asks}: 4`))
  await received.until(/HTTP\/1\.1 100 Continue\r\n\r\n/)
  received.send('true')
  expect(bodyOf(await received.untilClosed())).toEqual({ body: true })
  const refused = await answerTo(post(`${type}\r\n${asks}: 5000`))
  expect(statusesOf(refused)).toEqual([413])
})

test.each([
  ['says nothing', ''],
  ['never ends its head', 'GET /query HTTP/1.1\r\nHost: a\r\n'],
  ['never ends its body', post(`${type}\r\nContent-Length: 10`, '{')],
])('serve: a client that %s gets 408', async (_how, bytes) => {
  const answer = await answerTo(bytes, hasty.port)
  expect(statusesOf(answer)).toEqual([408])
  expect(bodyOf(answer)).toMatchObject({ statusCode: 408, error: 'Request Timeout' })
})

test('readBody: a body slower than its own time limit gets 408, however it is sent', async () => {
  const head = 'POST /small HTTP/1.1\r\nHost: a\r\n'
  for (const start of [
    `${head}Content-Length: 3\r\n\r\na`,
    `${head}${chunked}\r\n\r\n1\r\na\r\n`,
  ]) {
    const answer = await answerTo(start)
    expect(statusesOf(answer)).toEqual([408])
    expect(answer).toContain('\r\nConnection: close\r\n')
    expect(bodyOf(answer)).toMatchObject({ message: 'The body was not received in time' })
  }
})

test('readBody: reads any content type, rejects what is compressed or too large', async () => {
  const head = 'POST /small HTTP/1.1\r\nHost: a\r\nConnection: close\r\n'
  const small = (more: string, body: string) => answerTo(`${head}${more}\r\n\r\n${body}`)
  expect(bodyOf(await small('Content-Length: 3', 'a=1'))).toEqual({ body: 'a=1' })
  expect(bodyOf(await small('Content-Length: 0', ''))).toEqual({ body: '' })
  expect(statusesOf(await small('Content-Length: 11', ''))).toEqual([413])
  expect(statusesOf(await small('Content-Encoding: gzip\r\nContent-Length: 3', 'a=1'))).toEqual([
    400,
  ])
})

test('serve: an idle connection is closed', async () => {
  const answer = await answerTo('GET /query HTTP/1.1\r\nHost: a\r\n\r\n', hasty.port)
  expect(statusesOf(answer)).toEqual([200])
})

test('serve: a client that does not read its response is disconnected', async () => {
  const deaf = connect({ port: hasty.port, host: '127.0.0.1' })
  deaf.pause()
  deaf.on('error', () => undefined)
  deaf.write('GET /long HTTP/1.1\r\nHost: a\r\n\r\n')
  await eventually(async () => expect(await gauge('http_connections')).toBeGreaterThan(0))
  await eventually(async () => expect(await gauge('http_connections')).toBe(1))
  deaf.destroy()
})

/** Value of a metric of the HTTP server. The connection that reads the metric counts itself. */
async function gauge(name: string, at = hasty.port): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${at}/metrics`, {
    headers: { connection: 'close' },
  })
  const [, value] =
    new RegExp(`^posthorn_${name}\\{\\S* (\\d+)$`, 'm').exec(await response.text()) ?? []
  return Number(value)
}

test('ConnectionLimiter: hundreds of idle clients do not block others', async () => {
  const count = Number(process.env['TEST_SLOW_CLIENTS'] ?? 200)
  const slow = await Promise.all(
    Array.from({ length: count }, async () => {
      const client = await RawClient.open(port)
      client.send('POST /echo HTTP/1.1\r\nHost: a\r\nX-A:')
      return client
    }),
  )
  const dripping = setInterval(() => slow.forEach((client) => client.send('x')), 100)
  try {
    for (let n = 0; n < 20; n += 1) {
      for (const path of ['/query', '/health/ready']) {
        // Keep-alive is off: the HTTP server might drop a kept connection for a new connection
        // while the client uses it.
        const headers = { connection: 'close' }
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
        expect(response.status).toBe(200)
      }
    }
    expect(await gauge('http_connections', port)).toBeLessThanOrEqual(maxConnections)
  } finally {
    clearInterval(dripping)
    for (const client of slow) client.close()
  }
})

test('ConnectionLimiter: with all connections busy, serves health and answers others 503', async () => {
  const held = await Promise.all(
    Array.from({ length: maxConnections }, async () => {
      const client = await RawClient.open(port)
      client.send('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n')
      return client
    }),
  )
  await eventually(() => expect(waiting).toHaveLength(maxConnections))
  const full = await fetch(`http://127.0.0.1:${port}/query`)
  expect([full.status, full.headers.get('connection')]).toEqual([503, 'close'])
  expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200)
  for (const release of waiting.splice(0)) release()
  await Promise.all(held.map((client) => client.until(/\{\}/)))
  await eventually(async () =>
    expect((await fetch(`http://127.0.0.1:${port}/query`)).status).toBe(200),
  )
  for (const client of held) client.close()
})

/** Sends an HTTP request whose body never ends, and waits until the server reads the body. */
async function sendIncomplete(from?: string): Promise<RawClient> {
  const client = await RawClient.open(port, from)
  client.send(
    `POST /echo HTTP/1.1\r\nHost: a\r\n${type}\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
  )
  await client.until(/100 Continue\r\n\r\n/)
  client.send('{')
  return client
}

test('ConnectionLimiter: with incomplete bodies on all connections, drops the oldest for a new one', async () => {
  const held: RawClient[] = []
  for (let n = 0; n < maxConnections; n += 1) held.push(await sendIncomplete())
  expect(statusesOf(await answerTo(get('/query')))).toEqual([200])
  expect(await held[0]?.untilClosed()).toBe('')
  expect(held.at(-1)?.closed).toBe(false)
  for (const client of held) client.close()
})

test('ConnectionLimiter: a request whose body has arrived is not dropped', async () => {
  const early = await RawClient.open(port)
  const before = waiting.length
  early.send(`POST /wait HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: 2\r\n\r\n{}`)
  await eventually(() => expect(waiting).toHaveLength(before + 1))
  const held: RawClient[] = []
  for (let n = 0; n < maxConnections; n += 1) held.push(await sendIncomplete())
  expect(early.closed).toBe(false)
  for (const release of waiting.splice(0)) release()
  expect(await early.until(/\{\}/)).toContain('200 OK')
  for (const client of [early, ...held]) client.close()
})

test('ConnectionLimiter: at the limit of an address, drops or rejects connections of it only', async () => {
  const query = 'GET /query HTTP/1.1\r\nHost: a\r\n\r\n'
  const idle: RawClient[] = []
  for (let n = 0; n <= maxConnectionsPerAddress; n += 1) {
    const client = await RawClient.open(port, limitedAddress)
    client.send(query)
    await client.until(/\{\}/)
    idle.push(client)
  }
  await idle[0]?.untilClosed()
  const rest = idle.slice(1)
  const before = waiting.length
  for (const client of rest) client.send('GET /wait HTTP/1.1\r\nHost: a\r\n\r\n')
  await eventually(() => expect(waiting).toHaveLength(before + maxConnectionsPerAddress))
  const rejected = await RawClient.open(port, limitedAddress)
  rejected.send(query)
  expect(statusesOf(await rejected.untilClosed())).toEqual([503])
  const probe = await RawClient.open(port, limitedAddress)
  probe.send('GET /health/ready HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(statusesOf(await probe.untilClosed())).toEqual([200])
  expect(statusesOf(await answerTo(get('/query')))).toEqual([200])
  for (const release of waiting.splice(0)) release()
  for (const client of rest) client.close()
})

test('serve: a half-closed client still gets its response', async () => {
  const client = await RawClient.open(port)
  client.send(get('/query?a=1'))
  client.socket.end()
  await once(client.socket, 'finish')
  expect(bodyOf(await client.untilClosed())).toEqual({ a: '1' })
})
