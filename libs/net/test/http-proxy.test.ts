import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { startProxy, type TestProxy } from '@posthorn/testkit'
import { createHttpCaller, type HttpCaller } from '../src/http-caller.ts'

let connections = 0
const server = createServer((request, response) => {
  request.resume()
  response.end(`hello ${request.method}`)
})
server.on('connection', () => connections++)
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
/** TCP server without TLS that records the first bytes of each connection. */
const received: Buffer[] = []
const plain = createTcpServer((socket) => {
  socket
    .on('error', () => undefined)
    .once('data', (chunk) => {
      received.push(chunk)
      socket.end('no TLS here\r\n')
    })
}).listen(0, '127.0.0.1')
await once(plain, 'listening')

const proxies: TestProxy[] = []
const callers: HttpCaller[] = []
afterEach(async () => {
  for (const caller of callers.splice(0)) caller[Symbol.dispose]()
  for (const proxy of proxies.splice(0)) await proxy[Symbol.asyncDispose]()
})
afterAll(() => {
  server.close()
  plain.close()
})

async function behind(kind: string, options: { user?: string; pass?: string } = {}) {
  const proxy = await startProxy(options)
  proxy.withGreeting = false
  proxy.names.set('hook.example', '127.0.0.1')
  proxies.push(proxy)
  const login = options.user === undefined ? '' : `${options.user}:${options.pass}@`
  const url = `${kind}://${login}${proxy.host}:${proxy.port}`
  return { proxy, ...calls(url) }
}

function calls(url: string) {
  const caller = createHttpCaller({
    policy: 'private',
    proxy: { url, egress: 'link-local' },
    timeoutMs: 60_000,
    maxResponseBytes: 1_000,
  })
  callers.push(caller)
  const post = (address: string) => caller.call({ method: 'POST', url: address, body: '{}' })
  return { post, caller }
}

test.each(['http', 'socks5', 'socks4a'])(
  'HttpCaller: %s proxy, sends calls through it and lets it resolve names',
  async (kind) => {
    const { proxy, post } = await behind(kind)
    const before = connections
    for (let n = 0; n < 3; n++) {
      const { outcome, body } = await post(`http://hook.example:${port}/`)
      expect([outcome, body.toString()]).toEqual(['2xx', 'hello POST'])
    }
    expect(proxy.requests).toMatchObject([{ kind, host: 'hook.example', port }])
    expect(connections).toBe(before + 1)
  },
)

test('HttpCaller.open: streams through the proxy, over one connection', async () => {
  const { proxy, caller } = await behind('http')
  const before = connections
  for (let n = 0; n < 3; n++) {
    const chunks = (async function* () {
      yield Buffer.from('part')
    })()
    const request = {
      method: 'PUT',
      url: `http://hook.example:${port}/`,
      body: { chunks },
    } as const
    const { body } = await caller.open(request)
    expect(Buffer.concat(await Array.fromAsync(body)).toString()).toBe('hello PUT')
  }
  expect(proxy.requests).toHaveLength(1)
  expect(connections).toBe(before + 1)
})

test('HttpCaller.open: after a change of the proxy, a response in flight completes', async () => {
  let end: (() => void) | undefined
  const slow = createServer((_request, response) => {
    response.write('first ')
    end = () => void response.end('last')
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
  const { port: slowPort } = slow.address() as AddressInfo
  const [{ proxy: one }, { proxy: other }] = [await behind('http'), await behind('http')]
  let current = one
  const caller = createHttpCaller({
    policy: 'private',
    proxy: async () => ({ url: `http://${current.host}:${current.port}`, egress: 'link-local' }),
    timeoutMs: 60_000,
    maxResponseBytes: 1_000,
  })
  callers.push(caller)
  const { body } = await caller.open({ method: 'GET', url: `http://hook.example:${slowPort}/` })
  current = other
  await caller.call({ method: 'GET', url: `http://hook.example:${port}/` })
  expect(other.requests).toHaveLength(1)
  end?.()
  expect(Buffer.concat(await Array.fromAsync(body)).toString()).toBe('first last')
  slow.close()
})

test('HttpCaller: proxy with a login, authenticates', async () => {
  const { proxy, post } = await behind('http', { user: 'me', pass: 'secret' })
  expect(await post(`http://hook.example:${port}/`)).toMatchObject({ outcome: '2xx' })
  expect(proxy.requests).toMatchObject([{ user: 'me', pass: 'secret' }])
})

test('HttpCaller: https through a proxy, starts TLS with the server', async () => {
  const { post } = await behind('http')
  const to = (plain.address() as AddressInfo).port
  expect((await post(`https://hook.example:${to}/`)).outcome).toBe('tls')
  expect(received[0]?.[0]).toBe(0x16) // first byte of a TLS handshake record
  // host name of the server in the SNI extension
  expect(received[0]?.toString('latin1')).toContain('hook.example')
})

test('HttpCaller: proxy that rejects or is unreachable, reports proxy-fault', async () => {
  const { proxy, post } = await behind('http')
  proxy.rejects = true
  expect(await post(`http://hook.example:${port}/`)).toMatchObject({ outcome: 'proxy-fault' })
  // The first proxy address has no listener, the second proxy address is forbidden by the egress
  // policy.
  for (const url of ['http://127.0.0.1:1', 'socks5://2852039166']) {
    const { post } = calls(url)
    expect(await post(`http://hook.example:${port}/`)).toMatchObject({
      outcome: 'proxy-fault',
    })
  }
})

test('HttpCaller: unknown proxy, makes no call', async () => {
  const caller = createHttpCaller({
    policy: 'off',
    proxy: () => Promise.reject(new Error('login unavailable')),
    timeoutMs: 60_000,
    maxResponseBytes: 1_000,
  })
  callers.push(caller)
  const before = connections
  const request = { method: 'GET', url: `http://127.0.0.1:${port}/` } as const
  expect(await caller.call(request)).toMatchObject({
    outcome: 'proxy-fault',
    error: 'login unavailable',
  })
  await expect(caller.open(request)).rejects.toMatchObject({
    name: 'HttpError',
    outcome: 'proxy-fault',
  })
  expect(connections).toBe(before)
})

test('HttpCaller: literal address through a proxy, is checked against the policy of calls', async () => {
  const { proxy, post } = await behind('http')
  for (const host of ['127.0.0.1', '169.254.169.254', '2130706433', '[::ffff:a9fe:a9fe]'])
    expect(await post(`http://${host}:${port}/`)).toMatchObject({ outcome: 'egress-blocked' })
  expect(await post('http://hook.example:25/')).toMatchObject({ outcome: 'egress-blocked' })
  expect(proxy.requests).toEqual([])
})

/**
 * Program that requests a page with Node's default HTTP agent and with each client of this library.
 */
const script = `
import { get } from 'node:http'
import { connectSocket } from '@posthorn/net/connect-socket'
import { createHttpCaller } from '@posthorn/net/http-caller'
const port = Number(process.argv[1])
const url = 'http://127.0.0.1:' + port + '/'
await new Promise((ended) => get(url).on('error', () => undefined).on('close', ended))
for (const client of ['got', 'node']) {
  using caller = createHttpCaller({ policy: 'off', client, timeoutMs: 60_000, maxResponseBytes: 100 })
  const { body } = await caller.call({ method: 'GET', url })
  console.log(body.toString())
}
const { signal } = new AbortController()
const options = { timeoutMs: 60_000, egress: 'off', signal }
const { socket } = await connectSocket({ host: '127.0.0.1', port }, options)
socket.destroy()`

test('createHttpCaller, connectSocket: proxy variables of the environment, are ignored', async () => {
  const url = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ])
  const env = {
    ...Object.fromEntries(names.map((name) => [name, url])),
    NO_PROXY: '',
    no_proxy: '',
    NODE_USE_ENV_PROXY: '1',
  }
  const before = connections
  received.length = 0
  const args = ['--input-type=module', '--eval', script, String(port)]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
    env,
  })
  expect(stdout).toBe('hello GET\nhello GET\n')
  expect(connections - before).toBe(3)
  // The proxy variables of the environment are effective: Node's default HTTP agent uses the proxy.
  expect(received.map(String)).toEqual([expect.stringMatching(/^GET http:\/\/127/)])
})

test('HttpCaller: proxy changed between calls, the next call uses the new one', async () => {
  const { proxy } = await behind('http')
  let through: { url: string; egress: 'link-local' } | undefined
  const caller = createHttpCaller({
    policy: 'off',
    proxy: async () => through,
    timeoutMs: 60_000,
    maxResponseBytes: 1_000,
  })
  callers.push(caller)
  const get = () => caller.call({ method: 'GET', url: `http://127.0.0.1:${port}/` })
  for (const set of [false, true, false]) {
    through = set ? { url: `http://${proxy.host}:${proxy.port}`, egress: 'link-local' } : undefined
    expect((await get()).body.toString()).toBe('hello GET')
  }
  expect(proxy.requests).toMatchObject([{ host: '127.0.0.1', port }])
})
