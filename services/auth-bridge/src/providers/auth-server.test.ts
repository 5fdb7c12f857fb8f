import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { createHttpCaller } from '@posthorn/net'
import type { StoredLogin } from '../store/credentials.ts'
import { createAuthServer } from './auth-server.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
let answer: Answer
let requests: IncomingMessage[]
const server = createServer((request, response) => {
  requests.push(request)
  answer(request, response)
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
  answer = (_request, response) => response.end('{"user":"u@example.com","accessToken":"t"}')
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
const provider = (url: string | undefined = `http://127.0.0.1:${port}/auth`) =>
  createAuthServer({ http, address: () => Promise.resolve(url) })

test('the account and the protocol are in the query, the credentials of the URL in a header', async () => {
  const bridge = provider(`http://op:p%40ss@127.0.0.1:${port}/auth?key=1`)
  expect(await bridge.get(login('a&b'))).toEqual({
    user: 'u@example.com',
    accessToken: 't',
  })
  expect(requests[0]?.url).toBe('/auth?key=1&account=a%26b&proto=imap')
  expect(requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('op:p@ss').toString('base64')}`,
  )
})

test('an account is asked for once at a time, and again when it was forgotten', async () => {
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

test.each<[string, Answer]>([
  ['an error', (_request, response) => response.writeHead(500).end('{"user":"u","pass":"p"}')],
  ['a redirect', (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['a page', (_request, response) => response.end('<html>')],
  [
    'more than a user and a token',
    (_request, response) => response.end(`{"user":"u","pass":"p"${' '.repeat(2_000)}}`),
  ],
  ['half an answer', (request) => request.socket.destroy()],
])('%s is a failure of the server, not of the login', async (_what, given) => {
  answer = given
  await expect(provider().get(login('a'))).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'HTTPRequestError',
  })
  expect(requests).toHaveLength(1)
})

test('a server that says nothing is given up', async () => {
  answer = () => undefined
  const address = () => Promise.resolve(`http://127.0.0.1:${port}/auth`)
  await expect(createAuthServer({ http: hasty, address }).get(login('a'))).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'HTTPRequestError',
  })
})

test.each([undefined, '', 'nonsense', 'http://169.254.169.254/'])(
  'no question goes to %p',
  async (url) => {
    const bridge = createAuthServer({ http, address: () => Promise.resolve(url) })
    await expect(bridge.get(login('a'))).rejects.toMatchObject({ code: 'HTTPRequestError' })
  },
)

test('an answer with an end is kept until a minute before it, for one protocol and one address', async () => {
  let now = Date.now()
  const expires = new Date(now + 180_000).toISOString()
  answer = (_request, response) => response.end(JSON.stringify({ user: 'u', pass: 'p', expires }))
  let url = `http://127.0.0.1:${port}/auth`
  const bridge = createAuthServer({ http, address: () => Promise.resolve(url), now: () => now })
  const ask = (protocol: 'imap' | 'smtp' = 'imap') => bridge.get({ ...login('a'), protocol })
  expect(await ask()).toEqual({ user: 'u', pass: 'p' })
  now += 119_000
  await ask()
  expect(requests).toHaveLength(1)
  now += 2_000
  await ask()
  expect(requests).toHaveLength(2)
  await ask('smtp')
  expect(requests).toHaveLength(3)
  url = `http://127.0.0.1:${port}/moved`
  await ask('smtp')
  expect(requests.map((request) => request.url)).toEqual([
    '/auth?account=a&proto=imap',
    '/auth?account=a&proto=imap',
    '/auth?account=a&proto=smtp',
    '/moved?account=a&proto=smtp',
  ])
})

test('a failure is told to all who wait for it, is not remembered, and has no secret in it', async () => {
  answer = (_request, response) => response.writeHead(500).end('{"accessToken":"hush"}')
  const bridge = provider(`http://op:hush@127.0.0.1:${port}/auth?key=hush`)
  const failures = await Promise.all(
    Array.from({ length: 10 }, () => bridge.get(login('a')).catch((error: Error) => error)),
  )
  expect(requests).toHaveLength(1)
  for (const failure of failures) {
    expect(failure).toMatchObject({ code: 'HTTPRequestError', kind: 'unreachable' })
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain('hush')
  }
  answer = (_request, response) => response.end('{"user":"u","pass":"p"}')
  expect(await bridge.get(login('a'))).toEqual({ user: 'u', pass: 'p' })
})
