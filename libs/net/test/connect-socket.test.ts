import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { startProxy, type TestProxy, type TestProxyOptions } from '@posthorn/testkit'
import { connectSocket, type ConnectSocketOptions } from '../src/connect-socket.ts'
import { defaultMailPorts } from '../src/ports.ts'

/** TCP server that greets first, as mail servers do, then echoes received lines. */
const server = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.write(`220 hello ${socket.remoteAddress}\r\n`)
  socket.pipe(socket)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
const proxies: TestProxy[] = []
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy[Symbol.asyncDispose]()
})
afterAll(() => void server.close())

async function proxy(options?: TestProxyOptions): Promise<TestProxy> {
  const started = await startProxy(options)
  started.names.set('mail.test', '127.0.0.1')
  proxies.push(started)
  return started
}

const optionsWith = (more: Partial<ConnectSocketOptions> = {}): ConnectSocketOptions => ({
  timeoutMs: 60_000,
  egress: 'link-local',
  signal: new AbortController().signal,
  ...more,
})

/**
 * Connects to the echo server, reads the greeting and the echo of one line, and returns all
 * received text.
 */
async function talk(host: string, more: Partial<ConnectSocketOptions> = {}): Promise<string> {
  const { socket } = await connectSocket({ host, port }, optionsWith(more))
  socket.write('hi\r\n')
  let received = ''
  for await (const chunk of socket) {
    received += String(chunk)
    if (received.endsWith('hi\r\n')) break
  }
  return received
}

test('connectSocket: direct connection, delivers all bytes', async () => {
  expect(await talk('127.0.0.1')).toBe('220 hello 127.0.0.1\r\nhi\r\n')
})

test.each([
  ['socks5', 'mail.test', 'socks5', 'mail.test'],
  ['socks', 'mail.test', 'socks5', 'mail.test'],
  ['socks5', '127.0.0.1', 'socks5', '127.0.0.1'],
  ['socks4a', 'mail.test', 'socks4a', 'mail.test'],
  ['socks4', '127.0.0.1', 'socks4', '127.0.0.1'],
  ['socks4', 'localhost', 'socks4', '127.0.0.1'],
  ['http', 'mail.test', 'http', 'mail.test'],
  ['http', '127.0.0.1', 'http', '127.0.0.1'],
])('connectSocket: through %s to %s, sends the host to the proxy', async (...row) => {
  const [protocol, host, kind, requested] = row
  const through = await proxy()
  const url = `${protocol}://${through.host}:${through.port}`
  expect(await talk(host, { proxy: url })).toBe('220 hello 127.0.0.1\r\nhi\r\n')
  expect(through.requests).toEqual([expect.objectContaining({ kind, host: requested, port })])
})

test.each(['socks5', 'http'])(
  'connectSocket: %s proxy with a login, authenticates',
  async (protocol) => {
    const through = await proxy({ user: 'me@x', pass: 'p:ß%' })
    const address = `${through.host}:${through.port}`
    const right = `${protocol}://me%40x:p%3A%C3%9F%25@${address}`
    expect(await talk('mail.test', { proxy: right })).toContain('hi')
    for (const url of [`${protocol}://me%40x:wrong@${address}`, `${protocol}://${address}`])
      await expect(talk('mail.test', { proxy: url })).rejects.toMatchObject({ code: 'EPROXY' })
  },
)

test.each([
  ['a user', `${'u'.repeat(256)}:p`],
  ['a password', `u:${'%C3%9F'.repeat(128)}`],
  ['a NUL', 'u%00v:p'],
])('connectSocket: %s that SOCKS cannot encode, fails with EPROXY', async (_case, login) => {
  const through = await proxy({ user: 'x', pass: 'x' })
  for (const protocol of ['socks5', 'socks4a'])
    await expect(
      talk('mail.test', { proxy: `${protocol}://${login}@${through.host}:${through.port}` }),
    ).rejects.toMatchObject({ kind: 'unreachable', code: 'EPROXY' })
})

test('connectSocket: proxy that rejects, is down or is no proxy, fails with EPROXY', async () => {
  const through = await proxy()
  through.rejects = true
  const address = `${through.host}:${through.port}`
  for (const url of [`socks5://${address}`, `socks4a://${address}`, `http://${address}`])
    await expect(talk('mail.test', { proxy: url })).rejects.toMatchObject({ code: 'EPROXY' })
  for (const url of [
    'socks5://127.0.0.1:1',
    'http://127.0.0.1:1',
    `http://127.0.0.1:${port}`,
    `https://127.0.0.1:${port}`,
    'gopher://x',
    'x',
  ])
    await expect(talk('mail.test', { proxy: url })).rejects.toMatchObject({ code: 'EPROXY' })
})

test('connectSocket: response of a server that is no proxy, is not part of the error', async () => {
  const other = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end('HTTP/1.1 400 secret-banner\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port: at } = other.address() as AddressInfo
  try {
    const connecting = talk('mail.test', { proxy: `http://127.0.0.1:${at}` })
    await expect(connecting).rejects.toThrow('The proxy failed to connect: status 400')
  } finally {
    other.close()
  }
})

test('connectSocket: mailPorts, apply to the server and the proxy', async () => {
  const through = await proxy()
  const url = `socks5://${through.host}:${through.port}`
  const own = { ...defaultMailPorts, own: [port] }
  const blocked = { kind: 'forbidden', code: 'EEGRESSBLOCKED' }
  await expect(talk('127.0.0.1', { mailPorts: own })).rejects.toMatchObject(blocked)
  await expect(talk('mail.test', { mailPorts: own, proxy: url })).rejects.toMatchObject(blocked)
  const ofProxy = { ...defaultMailPorts, own: [through.port] }
  await expect(talk('mail.test', { mailPorts: ofProxy, proxy: url })).rejects.toMatchObject({
    code: 'EPROXY',
  })
  expect(through.requests).toEqual([])
  expect(await talk('127.0.0.1', { mailPorts: defaultMailPorts })).toContain('hi')
})

test('connectSocket: silent proxy, fails after the timeout or on abort', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port: at } = silent.address() as AddressInfo
  try {
    for (const protocol of ['socks5', 'socks4a', 'http', 'https'])
      await expect(
        talk('mail.test', { proxy: `${protocol}://127.0.0.1:${at}`, timeoutMs: 200 }),
      ).rejects.toMatchObject({ code: 'EPROXY' })
    const stop = new AbortController()
    const waiting = talk('mail.test', { proxy: `http://127.0.0.1:${at}`, signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  } finally {
    silent.close()
  }
})

test('connectSocket: egress policy, applies to the proxy and to known server addresses', async () => {
  const blocked = { kind: 'forbidden', code: 'EEGRESSBLOCKED' }
  const proxyFault = { kind: 'unreachable', code: 'EPROXY' }
  const through = await proxy()
  const url = `http://${through.host}:${through.port}`
  await expect(talk('mail.test', { proxy: url, egress: 'private' })).rejects.toMatchObject(
    proxyFault,
  )
  await expect(talk('mail.test', { proxy: 'socks5://169.254.169.254:1' })).rejects.toMatchObject(
    proxyFault,
  )
  await expect(talk('169.254.169.254', { proxy: url })).rejects.toMatchObject(blocked)
  const lookup = async () => [{ address: '169.254.169.254', family: 4 }]
  const socks4 = `socks4://${through.host}:${through.port}`
  await expect(talk('mail.test', { proxy: socks4, lookup })).rejects.toMatchObject(blocked)
  expect(through.requests).toEqual([])
})

test("connectSocket: localAddresses, binds to the first local one of the server's family", async () => {
  expect(await talk('127.0.0.1', { localAddresses: ['127.0.0.7'] })).toContain('hello 127.0.0.7')
  expect(await talk('127.0.0.1', { localAddresses: ['192.0.2.5', '127.0.0.7'] })).toContain(
    'hello 127.0.0.7',
  )
  expect(await talk('127.0.0.1', { localAddresses: ['192.0.2.5', '::1'] })).toContain(
    'hello 127.0.0.1',
  )
  const to = { host: '127.0.0.1', port }
  const bound = await connectSocket(to, optionsWith({ localAddresses: ['127.0.0.7'] }))
  const free = await connectSocket(to, optionsWith({ localAddresses: ['192.0.2.5'] }))
  expect([bound.localAddress, free.localAddress]).toEqual(['127.0.0.7', undefined])
  bound.socket.destroy()
  free.socket.destroy()
})

test('connectSocket: localAddresses, tries server addresses of their family first', async () => {
  const lookup = async () => [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]
  expect(await talk('mail.test', { lookup, localAddresses: ['127.0.0.7'] })).toContain(
    'hello 127.0.0.7',
  )
})

test('connectSocket: localAddresses and a proxy, binds the connection to the proxy', async () => {
  const through = await proxy()
  await talk('mail.test', {
    proxy: `socks5://${through.host}:${through.port}`,
    localAddresses: ['127.0.0.7'],
  })
  expect(through.requests).toEqual([expect.objectContaining({ from: '127.0.0.7' })])
})
