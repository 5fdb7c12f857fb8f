import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { createHttpCaller } from '@posthorn/net/http-caller'
import type { StoredLogin } from '../store/credentials.ts'
import { createAuthServer } from './auth-server.ts'

type Responder = (request: IncomingMessage, response: ServerResponse) => void
let respond: Responder
let requests: IncomingMessage[]
const server = createServer((request, response) => {
  requests.push(request)
  respond(request, response)
})
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve)
})
const { port } = server.address() as AddressInfo
const limits = { policy: 'link-local', maxResponseBytes: 1_024 } as const
const http = createHttpCaller({ ...limits, timeoutMs: 60_000 })
const hasty = createHttpCaller({ ...limits, timeoutMs: 300 })
afterAll(() => {
  http[Symbol.dispose]()
  hasty[Symbol.dispose]()
  server.close()
})
beforeEach(() => {
  requests = []
  respond = (_request, response) => response.end('{"user":"u@example.com","accessToken":"t"}')
})

const login = (account: string): StoredLogin => ({
  account,
  protocol: 'imap',
  configured: true,
  useAuthServer: true,
  user: undefined,
  sealed: undefined,
  hasOAuth2: false,
})
/**
 * Client of the authentication server whose clock stands still. A response without an expiry is
 * cached for 5 s.
 */
const provider = (url: string | undefined = `http://127.0.0.1:${port}/auth`) =>
  createAuthServer({ http, address: () => Promise.resolve(url), now: () => 0 })

test('AuthServer.get: account in the query, URL credentials in a header', async () => {
  const bridge = provider(`http://op:p%40ss@127.0.0.1:${port}/auth?key=1`)
  expect(await bridge.get(login('a&b'))).toEqual({
    user: 'u@example.com',
    accessToken: 't',
  })
  expect(requests[0]?.url).toBe('/auth?key=1&account=a%26b')
  expect(requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('op:p@ss').toString('base64')}`,
  )
})

test('AuthServer.get: concurrent calls share one request, invalidate starts another', async () => {
  const bridge = provider()
  await Promise.all(Array.from({ length: 50 }, () => bridge.get(login('a'))))
  expect(requests).toHaveLength(1)
  bridge.invalidate('b')
  await bridge.get(login('a'))
  expect(requests).toHaveLength(1)
  bridge.invalidate('a')
  await bridge.get(login('a'))
  expect(requests).toHaveLength(2)
})

test.each<[string, Responder]>([
  [
    'an error status',
    (_request, response) => response.writeHead(500).end('{"user":"u","pass":"p"}'),
  ],
  ['a redirect', (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['HTML', (_request, response) => response.end('<html>')],
  [
    'a body over the limit',
    (_request, response) => response.end(`{"user":"u","pass":"p"${' '.repeat(2_000)}}`),
  ],
  ['a closed connection', (request) => request.socket.destroy()],
])('AuthServer.get: %s, unreachable', async (_response, scripted) => {
  respond = scripted
  await expect(provider().get(login('a'))).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'HTTPRequestError',
  })
  expect(requests).toHaveLength(1)
})

test('AuthServer.get: no response, unreachable after the timeout', async () => {
  respond = () => undefined
  const address = () => Promise.resolve(`http://127.0.0.1:${port}/auth`)
  await expect(createAuthServer({ http: hasty, address }).get(login('a'))).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'HTTPRequestError',
  })
})

test.each([undefined, '', 'nonsense', 'http://169.254.169.254/'])(
  'AuthServer.get: address %p, sends no request',
  async (url) => {
    const bridge = createAuthServer({ http, address: () => Promise.resolve(url) })
    await expect(bridge.get(login('a'))).rejects.toMatchObject({ code: 'HTTPRequestError' })
  },
)

test('AuthServer.get: cached until 1 min before expiry, per protocol and address', async () => {
  let now = Date.now()
  const expires = new Date(now + 180_000).toISOString()
  respond = (_request, response) => response.end(JSON.stringify({ user: 'u', pass: 'p', expires }))
  let url = `http://127.0.0.1:${port}/auth`
  let isSent = true
  const sendsProtocol = () => Promise.resolve(isSent)
  const address = () => Promise.resolve(url)
  const bridge = createAuthServer({ http, address, sendsProtocol, now: () => now })
  const get = (protocol: StoredLogin['protocol'] = 'imap') =>
    bridge.get({ ...login('a'), protocol })
  expect(await get()).toEqual({ user: 'u', pass: 'p' })
  now += 119_000
  await get()
  expect(requests).toHaveLength(1)
  now += 2_000
  await get()
  expect(requests).toHaveLength(2)
  await get('smtp')
  expect(requests).toHaveLength(3)
  url = `http://127.0.0.1:${port}/moved`
  await get('smtp')
  expect(requests.map((request) => request.url)).toEqual([
    '/auth?account=a&proto=imap',
    '/auth?account=a&proto=imap',
    '/auth?account=a&proto=smtp',
    '/moved?account=a&proto=smtp',
  ])
  await get('api')
  expect(requests.at(-1)?.url).toBe('/moved?account=a&proto=api')
  isSent = false
  const before = requests.length
  for (const protocol of ['imap', 'smtp', 'api'] as const) await get(protocol)
  const paths = requests.slice(before).map(({ url: path }) => path)
  expect(new Set(paths)).toEqual(new Set(['/moved?account=a']))
})

test('AuthServer.get: a failure goes to all callers, is not cached and has no secret', async () => {
  respond = (_request, response) => response.writeHead(500).end('{"accessToken":"hush"}')
  const bridge = provider(`http://op:hush@127.0.0.1:${port}/auth?key=hush`)
  const failures = await Promise.all(
    Array.from({ length: 10 }, () => bridge.get(login('a')).catch((error: Error) => error)),
  )
  expect(requests).toHaveLength(1)
  for (const failure of failures) {
    expect(failure).toMatchObject({ code: 'HTTPRequestError', kind: 'unreachable' })
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('hush')
  }
  respond = (_request, response) => response.end('{"user":"u","pass":"p"}')
  expect(await bridge.get(login('a'))).toEqual({ user: 'u', pass: 'p' })
})
