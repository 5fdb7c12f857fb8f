import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { release as product } from '@posthorn/config/release'
import { AppError } from '@posthorn/errors'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { serve } from '../src/index.ts'
import { readJson } from './read-json.ts'

const release = Promise.withResolvers<void>()
const started = Promise.withResolvers<void>()
const metrics = createMetrics('test')
let ready = true

const server = await serve({
  host: '127.0.0.1',
  port: 0,
  log: createLogger('test', 'silent'),
  metrics,
  checks: { thing: () => ready || Promise.reject(new Error('down')) },
  mount(app) {
    app.post(
      '/echo',
      async (request, response) =>
        void response.json({ body: await readJson(request, { maxBytes: 1000, maxValues: 1000 }) }),
    )
    app.get('/thing/:id', (request, response) => void response.json({ id: request.params['id'] }))
    app.get('/bug', () => {
      throw new Error('secret detail')
    })
    app.get('/refused', () => {
      throw new AppError('unauthorized', 'Bad token', {
        extras: { attributes: { error: 'Bad token' } },
      })
    })
    app.get('/half', (_request, response) => {
      response.write('half')
      throw new Error('broken')
    })
    app.get('/slow', async (_request, response) => {
      started.resolve()
      await release.promise
      response.json({ done: true })
    })
  },
})
afterAll(async () => server[Symbol.asyncDispose]())
const base = `http://127.0.0.1:${server.port}`

const json = { 'content-type': 'application/json' }
const post = (body: string | Uint8Array, headers: Record<string, string> = json) =>
  fetch(`${base}/echo`, { method: 'POST', body: body as string, headers })

test('readJson: returns the JSON body, or undefined without one', async () => {
  expect(await (await post('{"a":[1,"ü"]}')).json()).toEqual({ body: { a: [1, 'ü'] } })
  expect(
    await (await post('{}', { 'content-type': 'application/json; charset=utf-8' })).json(),
  ).toEqual({ body: {} })
  expect(await (await fetch(`${base}/echo`, { method: 'POST' })).json()).toEqual({})
})

test.each([
  ['malformed', '{"a":', json, 'The body is not valid JSON'],
  ['not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), json, 'The body is not valid JSON'],
  [
    'of another type',
    'a=1',
    { 'content-type': 'application/x-www-form-urlencoded' },
    'Content-Type must be application/json in UTF-8',
  ],
  [
    'in another charset',
    '{}',
    { 'content-type': 'application/json; charset=utf-16' },
    'Content-Type must be application/json in UTF-8',
  ],
  [
    'compressed',
    '{}',
    { ...json, 'content-encoding': 'gzip' },
    'Content-Encoding is not supported',
  ],
  ['too deep', '['.repeat(200), json, 'JSON is nested deeper than 100 levels'],
  [
    'with a poisonous name',
    '{"__proto__":{"admin":true}}',
    json,
    '"__proto__" is not allowed as a name',
  ],
])('readJson: a body that is %s gets 400', async (...[, body, headers, message]) => {
  const response = await post(body, headers)
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ statusCode: 400, error: 'Bad Request', message })
})

test('readJson: a body over the limit gets 413, by Content-Length or while reading', async () => {
  const body = `"${'x'.repeat(2_000)}"`
  expect((await post(body)).status).toBe(413)
  const chunked = httpRequest(`${base}/echo`, {
    method: 'POST',
    headers: { ...json, 'transfer-encoding': 'chunked' },
  })
  chunked.write('"')
  for (let n = 0; n < 100; n += 1) chunked.write('x'.repeat(1_000))
  const [response] = (await once(chunked, 'response')) as [{ statusCode: number }]
  // The HTTP server may reset the connection, because it has not read the whole body.
  chunked.on('error', () => undefined)
  chunked.end('"')
  expect(response.statusCode).toBe(413)
})

test('readJson: an announced gigabyte is rejected before it is sent', async () => {
  const big = httpRequest(`${base}/echo`, {
    method: 'POST',
    headers: { ...json, 'content-length': '1000000000' },
  })
  big.on('error', () => undefined)
  big.flushHeaders()
  const [response] = (await once(big, 'response')) as [{ statusCode: number }]
  expect(response.statusCode).toBe(413)
  big.destroy()
})

test.each([
  ['an unknown path', 'GET', '/nope', 404, 'Not Found'],
  ['a wrong method on a known path', 'DELETE', '/echo', 404, 'Not Found'],
  ['bad percent-encoding', 'GET', '/thing/%E0%A4%A', 400, 'The path is not properly encoded'],
  ['an unforeseen error', 'GET', '/bug', 500, 'Internal Server Error'],
])('serve: %s gets a JSON error', async (...[, method, path, status, message]) => {
  const response = await fetch(base + path, { method })
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await response.json()).toMatchObject({ statusCode: status, message })
})

test('serve: a 401 has WWW-Authenticate: Bearer', async () => {
  const response = await fetch(`${base}/refused`)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await response.json()).toEqual({
    statusCode: 401,
    error: 'Unauthorized',
    message: 'Bad token',
    attributes: { error: 'Bad token' },
  })
})

test('serve: an error after the response started closes the connection', async () => {
  const whole = async () => (await fetch(`${base}/half`)).text()
  await expect(whole()).rejects.toThrow()
})

test('serve: responses have a request id, no-store and nosniff', async () => {
  const { headers } = await fetch(`${base}/thing/1`, { headers: { 'x-request-id': 'abc-1' } })
  expect(headers.get('x-request-id')).toBe('abc-1')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  const odd = await fetch(`${base}/thing/1`, { headers: { 'x-request-id': 'a b{}' } })
  expect(odd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('requestLog: measures requests by the pattern of their route', async () => {
  await fetch(`${base}/thing/42?access_token=secret`)
  const text = await (await fetch(`${base}/metrics`)).text()
  expect(text).toMatch(
    /http_request_seconds_count\{.*method="GET",route="\/thing\/:id",status="200"/,
  )
  expect(text).not.toContain('secret')
  expect(text).not.toContain('/thing/42')
})

test.each([
  ['a head that is no HTTP', 'nonsense\r\n\r\n', 400],
  ['a head of 20 kB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  [
    'two lengths',
    'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
])('assertHead: %s is rejected in JSON', async (...[, head, status]) => {
  const socket = connect(server.port, '127.0.0.1')
  socket.write(head)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  expect(answer).toContain(`HTTP/1.1 ${status}`)
  expect(answer).toContain(`{"statusCode":${status}`)
})

test('mountHealth: readiness follows the checks, liveness does not', async () => {
  expect((await fetch(`${base}/health/ready`)).status).toBe(200)
  ready = false
  const response = await fetch(`${base}/health/ready`)
  expect([response.status, await response.json()]).toEqual([
    503,
    { success: false, failed: ['thing'], ...product },
  ])
  const live = await fetch(`${base}/health/live`)
  expect([live.status, await live.json()]).toEqual([200, { success: true, ...product }])
})

test('serve: disposal completes the request in flight and accepts no more', async () => {
  const slow = fetch(`${base}/slow`)
  await started.promise
  const stopped = server[Symbol.asyncDispose]()
  await expect(fetch(`${base}/health/live`)).rejects.toThrow()
  release.resolve()
  expect(await (await slow).json()).toEqual({ done: true })
  await stopped
})
