import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request, type RequestOptions } from 'node:https'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { eventually, RawClient, selfSigned } from '@posthorn/testkit'
import { admin, mint, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const trusting = { SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_CORS_ORIGIN: 'https://app.example' }
const { call, url } = await servers.start(trusting)
const replica = await servers.start({ ...trusting, SVC_METRICS_ADDRESSES: '192.0.2.0/24' })
const bare = await servers.start()

const port = Number(new URL(url).port)
const from = (forwarded: string) => ({ 'x-forwarded-for': forwarded })

/** Access token that may be used from one IP address only. */
const bound = await mint(call, { restrictions: { addresses: ['198.51.100.7'] } })
const usable = async (headers: Record<string, string>, gateway = { call }) =>
  (await gateway.call('GET', '/v1/settings?notifyText=true', { token: bound, headers })).status

test.each([
  ['the client only', '198.51.100.7', 200],
  ['the client and a trusted proxy', '198.51.100.7, 127.0.0.1', 200],
  ['a spoofed entry before the client', '198.51.100.7, 203.0.113.9', 403],
  ['an invalid address', '198.51.100.7, unknown', 403],
  ['an address with a port', '198.51.100.7:1234', 403],
])('X-Forwarded-For: uses the entries of trusted proxies: %s', async (...[, forwarded, status]) => {
  expect(await usable(from(forwarded))).toBe(status)
})

test('client address: ignores other headers, and X-Forwarded-For of untrusted proxies', async () => {
  for (const name of ['forwarded', 'x-real-ip', 'true-client-ip', 'cf-connecting-ip'])
    expect(await usable({ [name]: '198.51.100.7' })).toBe(403)
  expect(await usable(from('198.51.100.7'), bare)).toBe(403)
})

test('If-None-Match: results have no ETag, so the response is 200 with its body', async () => {
  const headers = { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() }
  const { status, body } = await call('GET', '/v1/settings?notifyText=true', { headers })
  expect([status, body]).toEqual([200, { notifyText: true }])
})

test('X-Forwarded-For: repeated headers, are joined in order', async () => {
  const client = await RawClient.open(port)
  const lines = ['X-Forwarded-For: 198.51.100.7', 'X-Forwarded-For: 203.0.113.9']
  const head = `GET /v1/settings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${bound}\r\nConnection: close`
  client.send(`${[head, ...lines].join('\r\n')}\r\n\r\n`)
  expect(await client.untilClosed()).toContain('Unauthorized address')
})

test('enableApiProxy: false ignores proxies on all replicas, null restores the default', async () => {
  await call('POST', '/v1/settings', { body: { enableApiProxy: false } })
  for (const gateway of [{ call }, replica])
    await eventually(async () => expect(await usable(from('198.51.100.7'), gateway)).toBe(403))
  await call('POST', '/v1/settings', { body: { enableApiProxy: null } })
  for (const gateway of [{ call }, replica])
    await eventually(async () => expect(await usable(from('198.51.100.7'), gateway)).toBe(200))
})

const origin = 'https://app.example'

test('SVC_CORS_ORIGIN: preflight without token, responses and errors readable', async () => {
  const preflight = await fetch(`${url}/v1/account/a/submit`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  })
  expect(preflight.status).toBe(204)
  const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ')
  for (const name of ['authorization', 'content-type', 'idempotency-key', 'x-svc-timeout'])
    expect(allowed).toContain(name)
  expect(preflight.headers.get('access-control-allow-methods')?.split(', ').toSorted()).toEqual([
    'DELETE',
    'GET',
    'POST',
    'PUT',
  ])
  expect(preflight.headers.get('access-control-allow-credentials')).toBe(null)
  for (const token of [admin, 'nope']) {
    const { headers } = await call('GET', '/v1/settings', { token, headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-expose-headers')).toContain('X-RateLimit-Remaining')
  }
})

test('SVC_CORS_ORIGIN: /admin is excluded; unset, no CORS headers', async () => {
  const operators = await call('GET', '/admin/api/webhookRoutes', { headers: { origin } })
  expect(operators.headers.get('access-control-allow-origin')).toBe(null)
  const { status, headers } = await bare.call('OPTIONS', '/v1/settings', {
    headers: { origin, 'access-control-request-method': 'GET' },
  })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([404, null])
})

test('/metrics: allowed addresses only, never through an untrusted proxy', async () => {
  const metrics = async (gateway: { url: string }, headers: Record<string, string> = {}) =>
    (await fetch(`${gateway.url}/metrics`, { headers })).status
  expect(await metrics({ url })).toBe(200)
  expect(await metrics(bare, from('198.51.100.7'))).toBe(404)
  expect(await metrics(bare, from('127.0.0.1'))).toBe(404)
  expect(await metrics({ url }, from('203.0.113.9'))).toBe(404)
  expect(await metrics(replica)).toBe(404)
  expect(await metrics(replica, from('192.0.2.1'))).toBe(200)
})

test('query: repeated parameter 400 with its name, repeated access_token 401', async () => {
  const twice = await call('GET', '/v1/accounts?page=1&page=2')
  expect([twice.status, twice.body.fields?.map(({ path }) => path)]).toEqual([400, ['page']])
  const tokens = await call('GET', `/v1/settings?access_token=${admin}&access_token=x`, {
    token: null,
  })
  expect(tokens.status).toBe(401)
})

test.each(['/v1/settings', '/nope', '/open.gif', '/docs/', '/openapi.json', '/health/live'])(
  'security headers: %s has nosniff, frame and referrer policies',
  async (path) => {
    const { headers } = await fetch(url + path)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-powered-by')).toBe(null)
  },
)

test('SVC_TLS_CERT, SVC_TLS_KEY: serves HTTPS with Strict-Transport-Security', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-tls-'))
  const files = {
    SVC_TLS_CERT: join(directory, 'cert.pem'),
    SVC_TLS_KEY: join(directory, 'key.pem'),
  }
  const { cert, key } = selfSigned(['localhost'])
  await Promise.all([writeFile(files.SVC_TLS_CERT, cert), writeFile(files.SVC_TLS_KEY, key)])
  const secure = await servers.start(files)
  const options: RequestOptions = { port: new URL(secure.url).port, ca: cert, agent: false }
  const call = request({ ...options, host: 'localhost', path: '/v1/nope' })
  call.end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(404)
  expect(response.headers['strict-transport-security']).toMatch(/^max-age=\d+$/)
  await rm(directory, { recursive: true })
})
