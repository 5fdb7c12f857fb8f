import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from '@jest/globals'
import { release } from '@posthorn/config/release'
import { eventually } from '@posthorn/testkit'
import type { HttpCallerOptions } from '../src/http-caller.ts'
import type { CallRequest } from '../src/call.ts'
import { createHttpCaller } from '../src/http-caller.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

interface Listener {
  port: number
  /**
   * Number of connections that the HTTP server of the test accepted. A forbidden address must not
   * receive a connection.
   */
  connections: number
}

async function listen(server: Server, host: string, port = 0): Promise<Listener> {
  const sockets = new Set<Socket>()
  const listener = { port: 0, connections: 0 }
  server.on('connection', (socket) => {
    listener.connections++
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(port, host)
  await once(server, 'listening')
  listener.port = (server.address() as AddressInfo).port
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return listener
}

const serve = (handle: (...args: Parameters<RequestListener>) => unknown, host = '127.0.0.1') =>
  listen(
    createServer((request, response) => void handle(request, response)),
    host,
  )
/** Starts a TCP server whose connections a test scripts byte by byte. */
const serveRaw = (onConnection: (socket: Socket) => void) =>
  listen(createTcpServer(onConnection), '127.0.0.1')

describe.each(['got', 'node'] as const)('HttpCaller with %s', (client) => {
  function caller(options: Partial<HttpCallerOptions> = {}) {
    const made = createHttpCaller({
      policy: 'off',
      timeoutMs: 60_000,
      maxResponseBytes: 1_000,
      client,
      ...options,
    })
    cleanUp.push(() => made[Symbol.dispose]())
    return made
  }

  test('User-Agent has product, version and product address, unless a request sets it', async () => {
    const seen: (string | undefined)[] = []
    const { port } = await serve((request, response) => {
      seen.push(request.headers['user-agent'])
      response.end()
    })
    const url = `http://127.0.0.1:${port}/`
    const http = caller()
    await http.call({ method: 'GET', url })
    await http.call({ method: 'GET', url, headers: { 'User-Agent': 'own' } })
    const streamed = await http.open({ method: 'GET', url })
    streamed[Symbol.dispose]()
    const product = `Posthorn/${release.version} (+https://posthorn.example/)`
    expect(seen).toEqual([product, 'own', product])
  })

  const post = (url: string): CallRequest => ({
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/json' },
    body: '{"a":1}',
  })

  test('POST: sends body and headers, returns the response', async () => {
    const received: { method?: string; body: string; type?: string; length?: string }[] = []
    const { port } = await serve(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { 'content-type': type, 'content-length': length } = request.headers
      received.push({
        method: request.method ?? '',
        body: Buffer.concat(chunks).toString(),
        type: type ?? '',
        length: length ?? '',
      })
      response.setHeader('X-Test', 'yes').end('thanks')
    })
    const result = await caller().call(post(`http://127.0.0.1:${port}/`))
    expect(result).toMatchObject({ outcome: '2xx', status: 200, headers: { 'x-test': 'yes' } })
    expect(result.body.toString()).toBe('thanks')
    expect(received).toEqual([
      { method: 'POST', body: '{"a":1}', type: 'application/json', length: '7' },
    ])
  })

  test.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    '%s: sends the method, without and with a body',
    async (method) => {
      const received: string[] = []
      const { port } = await serve(async (request, response) => {
        let body = ''
        for await (const chunk of request) body += String(chunk)
        received.push(`${request.method} ${body}`)
        response.setHeader('X-Length', body.length).end()
      })
      const url = `http://127.0.0.1:${port}/`
      const { call } = caller()
      expect(await call({ method, url })).toMatchObject({
        status: 200,
        headers: { 'x-length': '0' },
      })
      if (method === 'GET' || method === 'HEAD') return
      await call({ method, url, body: 'bytes' })
      expect(received).toEqual([`${method} `, `${method} bytes`])
    },
  )

  test('mapped origin: called at the other origin, to which the policy applies', async () => {
    const { port } = await serve(({ url }, response) => response.end(url))
    const origins = { 'https://api.example': `http://127.0.0.1:${port}` }
    const request = { method: 'GET', url: 'https://API.example:443/a%20b?c=d#e' } as const
    const { body } = await caller({ origins }).call(request)
    expect(body.toString()).toBe('/a%20b?c=d')
    expect(await caller({ origins, policy: 'private' }).call(request)).toMatchObject({
      outcome: 'egress-blocked',
    })
  })

  test('consecutive calls: reuse one connection', async () => {
    const listener = await serve((_request, response) => response.end())
    const { call } = caller()
    for (let n = 0; n < 5; n++) await call(post(`http://127.0.0.1:${listener.port}/`))
    expect(listener.connections).toBe(1)
  })

  test.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://0x7f.1:PORT/',
    'http://2130706433:PORT/',
    'http://017700000001:PORT/',
    'http://localhost:PORT/',
    'http://LOCALHOST:PORT/',
    'http://0:PORT/',
    'http://0.0.0.0:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
    'http://user:pass@127.0.0.1:PORT/',
    'http://①②⑦.⓪.⓪.①:PORT/',
  ])('%s under private: blocked before a connection is opened', async (template) => {
    const listener = await serve((_request, response) => response.end())
    const url = template.replace('PORT', String(listener.port))
    // This spelling of a loopback address leads to the listener of this test.
    expect(await caller().call(post(url))).toMatchObject({ outcome: '2xx' })
    const before = listener.connections
    expect(await caller({ policy: 'private' }).call(post(url))).toMatchObject({
      outcome: 'egress-blocked',
    })
    expect(listener.connections).toBe(before)
  })

  test('::1 under private: blocked before a connection is opened', async () => {
    const listener = await serve((_request, response) => response.end(), '::1')
    const url = `http://[::1]:${listener.port}/`
    expect(await caller({ policy: 'private' }).call(post(url))).toMatchObject({
      outcome: 'egress-blocked',
    })
    expect(listener.connections).toBe(0)
    expect(await caller().call(post(url))).toMatchObject({ outcome: '2xx' })
  })

  test('name that changes its address after the check: connects to the checked one', async () => {
    const listener = await serve((_request, response) => response.end())
    let lookups = 0
    const lookup = async () => [
      { address: lookups++ % 2 === 0 ? '127.0.0.1' : '169.254.169.254', family: 4 },
    ]
    const { call } = caller({ policy: 'link-local', lookup })
    expect(await call(post(`http://rebind.example:${listener.port}/`))).toMatchObject({
      outcome: '2xx',
    })
    expect(lookups).toBe(1)
  })

  test('redirect: refused and not followed', async () => {
    const listener = await serve((_request, response) =>
      response.writeHead(302, { Location: '/elsewhere' }).end(),
    )
    const result = await caller().call(post(`http://127.0.0.1:${listener.port}/`))
    expect(result).toMatchObject({ outcome: 'redirect-refused', status: 302 })
  })

  test.each([
    [404, 'http-4xx'],
    [503, 'http-5xx'],
  ] as const)('status %d: a response, not an error', async (status, outcome) => {
    const { port } = await serve((_request, response) => response.writeHead(status).end('no'))
    expect(await caller().call(post(`http://127.0.0.1:${port}/`))).toMatchObject({
      outcome,
      status,
    })
  })

  test('endless body: cut at maxResponseBytes, connection closed', async () => {
    const closed = Promise.withResolvers<void>()
    const { port } = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'.repeat(600)), 1)
      response.once('close', () => {
        clearInterval(timer)
        closed.resolve()
      })
    })
    const result = await caller().call(post(`http://127.0.0.1:${port}/`))
    expect(result).toMatchObject({ outcome: '2xx', status: 200 })
    expect(result.body).toHaveLength(1_000)
    await closed.promise
  })

  test('compressed body: not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(500_000))
    const { port } = await serve((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
    )
    const result = await caller().call(post(`http://127.0.0.1:${port}/`))
    expect(result.body.equals(bomb.subarray(0, 1_000))).toBe(true)
  })

  /**
   * HTTP call that exceeds its timeout. A busy machine may need a longer timeout for the
   * connection.
   */
  async function exceedTimeout(port: number) {
    let timeoutMs = 250
    return eventually(async () => {
      const { call } = caller({ timeoutMs: (timeoutMs *= 2) })
      const result = await call(post(`http://127.0.0.1:${port}/`))
      expect(result.outcome).not.toBe('connect-timeout')
      return result
    })
  }

  test('trickling body: ends after timeoutMs', async () => {
    const { port } = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(timer))
    })
    expect(await exceedTimeout(port)).toMatchObject({ outcome: 'response-timeout' })
  })

  test('trickling headers: end after timeoutMs', async () => {
    const { port } = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('X-A: b\r\n'), 20)
      socket.once('close', () => clearInterval(timer))
    })
    expect(await exceedTimeout(port)).toMatchObject({ outcome: 'response-timeout' })
  })

  test('silent server: response-timeout after timeoutMs', async () => {
    const { port } = await serveRaw((socket) => socket.resume())
    expect(await exceedTimeout(port)).toMatchObject({ outcome: 'response-timeout' })
  })

  test('slow name resolution: connect-timeout after timeoutMs', async () => {
    const { call } = caller({ timeoutMs: 200, lookup: () => new Promise(() => undefined) })
    expect(await call(post('http://slow.example/'))).toMatchObject({ outcome: 'connect-timeout' })
  })

  test('name without an address: dns', async () => {
    const lookup = () =>
      Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    expect(await caller({ lookup }).call(post('http://nowhere.example/'))).toMatchObject({
      outcome: 'dns',
    })
  })

  test('port without a listener: refused', async () => {
    const server = createTcpServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    expect(await caller().call(post(`http://127.0.0.1:${port}/`))).toMatchObject({
      outcome: 'refused',
    })
  })

  test('server that closes the connection: reset', async () => {
    const { port } = await serveRaw((socket) => socket.once('data', () => socket.destroy()))
    expect(await caller().call(post(`http://127.0.0.1:${port}/`))).toMatchObject({
      outcome: 'reset',
    })
  })

  test('incomplete body: no success', async () => {
    const { port } = await serveRaw((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'))
    })
    expect(await caller().call(post(`http://127.0.0.1:${port}/`))).toMatchObject({
      outcome: 'reset',
      status: 200,
    })
  })

  test('response that is not HTTP: protocol', async () => {
    const { port } = await serveRaw((socket) =>
      socket.once('data', () => socket.end('220 mail.example ESMTP\r\n')),
    )
    expect(await caller().call(post(`http://127.0.0.1:${port}/`))).toMatchObject({
      outcome: 'protocol',
    })
  })

  test('server without TLS: tls', async () => {
    const { port } = await serve((_request, response) => response.end())
    expect(await caller().call(post(`https://127.0.0.1:${port}/`))).toMatchObject({
      outcome: 'tls',
    })
  })

  test('cancelled call: aborted', async () => {
    const { port } = await serveRaw((socket) => socket.resume())
    const stop = new AbortController()
    const result = caller().call({ ...post(`http://127.0.0.1:${port}/`), signal: stop.signal })
    stop.abort()
    expect(await result).toMatchObject({ outcome: 'aborted' })
  })

  test('cancelled while it waits for a connection: aborted immediately', async () => {
    const connected = Promise.withResolvers<void>()
    const { port } = await serveRaw(() => connected.resolve())
    const http = caller({ maxSockets: 1 })
    const busy = new AbortController()
    const url = `http://127.0.0.1:${port}/`
    const first = http.call({ ...post(url), signal: busy.signal })
    const stop = new AbortController()
    const waiting = { ...post(url), signal: stop.signal }
    await connected.promise
    const results = [http.call(waiting), http.open(waiting)]
    await setImmediate() // both HTTP requests are in the queue of the agent
    stop.abort()
    const [called, opened] = await Promise.allSettled(results)
    expect(called).toMatchObject({ value: { outcome: 'aborted' } })
    expect(opened).toMatchObject({ reason: { outcome: 'aborted' } })
    busy.abort()
    await first
  })

  test('invalid request: protocol, does not reject', async () => {
    const { call } = caller()
    expect(
      await call({ ...post('http://127.0.0.1:1/'), headers: { 'X-A': 'a\r\nb' } }),
    ).toMatchObject({ outcome: 'protocol' })
    expect(await call(post('ftp://127.0.0.1/'))).toMatchObject({ outcome: 'protocol' })
  })
})
