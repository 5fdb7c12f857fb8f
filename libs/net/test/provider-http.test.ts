import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createHttpCaller } from '../src/http-caller.ts'
import { createProviderHttp, type ProviderHttp } from '../src/provider/provider-http.ts'

const token = 'ya29.secret-token'
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

interface HttpServer {
  origin: string
  port: number
  /** HTTP requests that the fake provider received in all tests. */
  requests: IncomingMessage[]
  respond: (...args: Parameters<RequestListener>) => unknown
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => void sockets.add(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function serve(): Promise<HttpServer> {
  const made: HttpServer = { origin: '', port: 0, requests: [], respond: () => undefined }
  made.port = await listen(
    createServer((request, response) => {
      made.requests.push(request)
      made.respond(request, response)
    }),
  )
  made.origin = `http://127.0.0.1:${made.port}`
  return made
}

const api = 'https://graph.microsoft.com'
/**
 * Fake servers: one serves the API of a mail provider; the other belongs to an attacker or stores
 * uploads.
 */
const [fake, other] = await Promise.all([serve(), serve()])
const mappedOrigins = { [api]: fake.origin, 'https://uploads.example': other.origin }

function createProvider(options = {}): ProviderHttp {
  const limits = { timeoutMs: 60_000, maxResponseBytes: 10_000, origins: mappedOrigins }
  const caller = stack.use(createHttpCaller({ policy: 'off', ...limits, ...options }))
  return createProviderHttp({ caller, origins: [api], mappedOrigins, maxRetryAfterMs: 3_600_000 })
}
const provider = createProvider()
const ofToken = ({ headers }: IncomingMessage) => JSON.stringify(headers).includes(token)

beforeEach(() => {
  for (const server of [fake, other]) {
    server.requests.length = 0
    server.respond = (_request, response) => response.end('{"value":[1]}')
  }
})

describe('ProviderHttp: token', () => {
  test.each([
    '/v1.0/me/messages?$top=5',
    `${api}/v1.0/me/messages?$skiptoken=a%2Fb`,
    `${api}:443/x`,
  ])('%s: sent to the provider with the token, not in the URL', async (url) => {
    expect(await provider.json({ url, token })).toMatchObject({ status: 200, json: { value: [1] } })
    expect(fake.requests).toHaveLength(1)
    expect(fake.requests[0]?.headers.authorization).toBe(`Bearer ${token}`)
    expect(fake.requests[0]?.url).not.toContain(token)
  })

  test('link at the mapped origin: accepted, as fakes return it', async () => {
    await provider.json({ url: `${fake.origin}/next`, token })
    expect(fake.requests.map(({ url }) => url)).toEqual(['/next'])
  })

  test('headers: those of the caller are sent, except other credentials', async () => {
    const headers = { Prefer: 'IdType="ImmutableId"', Authorization: 'Basic eA==', cookie: 'a=b' }
    await provider.json({ url: '/x', token, method: 'PATCH', body: '{}', headers })
    expect(fake.requests[0]).toMatchObject({
      method: 'PATCH',
      headers: { prefer: 'IdType="ImmutableId"', authorization: `Bearer ${token}` },
    })
    expect(fake.requests[0]?.headers.cookie).toBeUndefined()
  })

  const hostile = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `\\\\127.0.0.1:${port}/`,
    `/\\127.0.0.1:${port}/`,
    `/\t/127.0.0.1:${port}/`,
    `https:\\\\127.0.0.1:${port}/`,
    `https:127.0.0.1:${port}`,
    `https:///127.0.0.1:${port}/`,
    `${api}@127.0.0.1:${port}/`,
    `${api}:x@127.0.0.1:${port}/`,
    `${api}\\@127.0.0.1:${port}/`,
    `${api}%2f@127.0.0.1:${port}/`,
    `https://user:pass@graph.microsoft.com/`,
    `https://user@graph.microsoft.com/`,
    `http://graph.microsoft.com/`,
    `http://graph.microsoft.com:443/`,
    `${api}:8443/`,
    `${api}./`,
    `${api}.evil.example/`,
    `https://evil.example/?${api}`,
    `https://evil.example#${api}`,
    `https://graph.microsoft.com。evil.example/`,
    `https://evil-graph.microsoft.com/`,
    `https://uploads.example/`,
    `blob:${api}/x`,
    `ftp://graph.microsoft.com/`,
    `file:///etc/passwd`,
    `javascript:alert(1)`,
    `data:text/plain,x`,
    ` ${api}/`,
    `${api}/\r\nHost: evil.example`,
    `${api}/${'x'.repeat(20_000)}`,
  ]
  test.each(hostile(other.port).map((link) => [JSON.stringify(link).slice(0, 60), link]))(
    'nextLink, deltaLink or Location %s: no request, no token',
    async (_name, link = '') => {
      const before = fake.requests.length
      for (const send of [provider.json, provider.open])
        await expect(send({ url: link, token })).rejects.toMatchObject({
          kind: 'forbidden',
          code: 'ForeignProviderOrigin',
        })
      expect([...fake.requests, ...other.requests]).toHaveLength(before)
    },
  )

  test.each([301, 302, 303, 307, 308, 410])(
    'status %d with a Location of another origin: not followed, its use rejected',
    async (status) => {
      fake.respond = (_request, response) =>
        response.writeHead(status, { location: `${other.origin}/stolen` }).end()
      const error = await provider.json({ url: '/x', token }).catch((failure: unknown) => failure)
      expect(error).toMatchObject({ name: 'ProviderError', status })
      const { location = '' } = error as { location?: string }
      await expect(provider.json({ url: location, token })).rejects.toMatchObject({
        code: 'ForeignProviderOrigin',
      })
      expect(other.requests).toEqual([])
    },
  )

  test('Location of the same origin: returned and followed by the caller', async () => {
    fake.respond = ({ url }, response) =>
      url === '/a' ? response.writeHead(410, { location: '/b' }).end() : response.end('{}')
    const error = await provider.json({ url: '/a', token }).catch((failure: unknown) => failure)
    const { location = '' } = error as { location?: string }
    expect(await provider.json({ url: location, token })).toMatchObject({ status: 200 })
  })
})

describe('ProviderHttp.upload', () => {
  const upload = (url: string) =>
    provider.upload({
      url,
      method: 'PUT',
      body: 'bytes',
      headers: { 'Content-Range': 'bytes 0-4/5', authorization: `Bearer ${token}` },
    })

  test.each([`${api}/upload/session?id=1`, 'https://uploads.example/session', `${other.origin}/s`])(
    '%s: sent without the token',
    async (url) => {
      await upload(url)
      const requests = [...fake.requests, ...other.requests]
      expect(requests.map(({ method, headers }) => [method, headers['content-range']])).toEqual([
        ['PUT', 'bytes 0-4/5'],
      ])
      expect(requests.some(ofToken)).toBe(false)
    },
  )

  test.each([
    'http://uploads.example/',
    'http://127.0.0.1:1/',
    '/relative',
    '//uploads.example/',
    'https://user:pass@uploads.example/',
    'ftp://uploads.example/',
    'https://uploads.example\\x',
  ])('%s: rejected, without a request', async (url) => {
    await expect(upload(url)).rejects.toMatchObject({ code: 'ForeignProviderOrigin' })
    expect(other.requests).toEqual([])
  })

  test('redirect to another origin: not followed', async () => {
    fake.respond = (_request, response) =>
      response.writeHead(307, { location: `${other.origin}/x` }).end()
    await expect(upload(`${api}/u`)).rejects.toMatchObject({ status: 307 })
    expect(other.requests).toEqual([])
  })

  test('status in accept: a response, such as 308 of a resumable upload', async () => {
    fake.respond = (_request, response) => response.writeHead(308, { range: 'bytes=0-4' }).end()
    expect(await provider.upload({ url: `${api}/u`, method: 'PUT', accept: [308] })).toMatchObject({
      status: 308,
      headers: { range: 'bytes=0-4' },
      json: undefined,
    })
  })
})

describe('ProviderHttp: responses', () => {
  const unreachable = { name: 'AppError', kind: 'unreachable', code: 'ConnectionError' }

  test('error response: typed, gzip decoded, with the requested delay', async () => {
    fake.respond = (_request, response) =>
      response
        .writeHead(429, { 'retry-after': '0.5', 'content-encoding': 'gzip' })
        .end(gzipSync('{"error":{"code":"TooManyRequests","message":"slow down"}}'))
    await expect(provider.json({ url: '/x', token })).rejects.toMatchObject({
      name: 'ProviderError',
      status: 429,
      code: 'TooManyRequests',
      message: 'slow down',
      retryAfterMs: 500,
    })
  })

  test.each([
    ['HTML', '<html>Error 502</html>'],
    ['an empty body', ''],
    ['a cut gzip body', gzipSync('{"error":{"code":"x"}}').subarray(0, 20)],
    ['an endless body', 'x'.repeat(1_000_000)],
  ])('error status with %s: typed by its status', async (_case, body) => {
    const gzip = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' }
    fake.respond = (_request, response) => response.writeHead(502, gzip).end(body)
    await expect(provider.json({ url: '/x', token })).rejects.toMatchObject({
      name: 'ProviderError',
      status: 502,
      code: undefined,
    })
  })

  test.each([
    ['HTML', '<html>'],
    ['cut JSON', '{"value":[{"id":"ya29.sec'],
    ['JSON above maxBytes', `{"value":"${'x'.repeat(10_000)}"}`],
  ])('status 200 with %s: unreachable, since providers recover from it', async (_case, body) => {
    fake.respond = (_request, response) => response.end(body)
    await expect(provider.json({ url: '/x', token })).rejects.toMatchObject(unreachable)
  })

  test.each([202, 204])('status %d without a body: no JSON', async (status) => {
    fake.respond = (_request, response) => response.writeHead(status).end()
    expect(await provider.json({ url: '/x', token, method: 'POST' })).toMatchObject({
      status,
      json: undefined,
    })
  })

  test('open: streams the body', async () => {
    fake.respond = (_request, response) => response.end('raw')
    const { body } = await provider.open({ url: '/x/$value', token })
    expect(Buffer.concat(await Array.fromAsync(body)).toString()).toBe('raw')
  })

  test('forbidden address, cancelled request: their own failures', async () => {
    await expect(
      createProvider({ policy: 'private' }).json({ url: '/x', token }),
    ).rejects.toMatchObject({ kind: 'forbidden', code: 'EEGRESSBLOCKED' })
    const reason = new Error('stop')
    const signal = AbortSignal.abort(reason)
    await expect(provider.json({ url: '/x', token, signal })).rejects.toBe(reason)
  })

  test.each<[string, (socket: Socket) => unknown]>([
    ['no HTTP', (socket) => socket.end(`220 ${token}\r\n`)],
    ['closed connection', (socket) => socket.destroy()],
    ['cut head', (socket) => socket.end(`HTTP/1.1 200 OK\r\nX-Token: ${token}`)],
    ['cut body', (socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n${token}`)],
    ['oversized head', (socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${token.repeat(9_999)}`)],
    [
      'foreign coding',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Encoding: ${token}\r\n\r\n`),
    ],
    ['an echo of the request', (socket) => socket.pipe(socket)],
    [
      'an error with the token',
      (socket) =>
        socket.end(
          `HTTP/1.1 401 ${token}\r\nWWW-Authenticate: ${token}\r\nLocation: /${token}\r\n\r\n` +
            `{"error":{"code":"${token}","message":"Invalid token ${token}"}}`,
        ),
    ],
  ])('%s: the failure has no token', async (_case, respond) => {
    const port = await listen(
      createTcpServer((socket) => void socket.once('data', () => void respond(socket))),
    )
    const origins = { [api]: `http://127.0.0.1:${port}` }
    const request = { url: '/x?$filter=private', token }
    const failure: unknown = await createProviderHttp({
      caller: stack.use(
        createHttpCaller({ policy: 'off', timeoutMs: 5_000, maxResponseBytes: 9_999, origins }),
      ),
      origins: [api],
    })
      .json(request)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    const shown = inspect(failure, { depth: 9, showHidden: true }) + JSON.stringify(failure)
    expect(shown).not.toContain(token)
    expect(shown).not.toContain('$filter')
  })
})
