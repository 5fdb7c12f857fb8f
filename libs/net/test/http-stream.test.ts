import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { eventually, timeoutsOnly } from '@posthorn/testkit'
import type { StreamedResponse, StreamRequest } from '../src/call.ts'
import { createHttpCaller, type HttpCallerOptions } from '../src/http-caller.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close()
})

async function listen(server: Server) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets }
}
const serve = (handle: (...args: Parameters<RequestListener>) => unknown) =>
  listen(createServer((request, response) => void handle(request, response)))
const serveRaw = (onConnection: (socket: Socket) => void) => listen(createTcpServer(onConnection))

function caller(options: Partial<HttpCallerOptions> = {}) {
  const limits = { policy: 'off', timeoutMs: 60_000, maxResponseBytes: 100_000_000 } as const
  const made = createHttpCaller({ ...limits, ...options })
  cleanUp.push(() => made[Symbol.dispose]())
  return made
}
const get = (url: string, more: Partial<StreamRequest> = {}): StreamRequest => ({
  method: 'GET',
  url,
  ...more,
})
async function read({ body }: StreamedResponse): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
/** Waits until a number of chunks of an HTTP body has not changed for ten checks. */
async function untilStill(count: () => number): Promise<void> {
  let [last, checks] = [-1, 0]
  await eventually(() => {
    checks = count() === last ? checks + 1 : 0
    last = count()
    return checks >= 10
  })
}
const failsWith = (outcome: string) => expect.objectContaining({ name: 'HttpError', outcome })
/** Source of an HTTP request body with chunks of 64 KiB; `produced` counts the requested chunks. */
function source(chunks: number) {
  const made = {
    produced: 0,
    closed: false,
    async *[Symbol.asyncIterator]() {
      try {
        while (made.produced < chunks) {
          made.produced++
          yield Buffer.alloc(65_536, 'x')
        }
      } finally {
        made.closed = true
      }
    },
  }
  return made
}

describe('HttpCaller.open: request body', () => {
  test.each([
    ['with a length', 3, { 'content-length': '196608', 'transfer-encoding': undefined }],
    [
      'without a length',
      undefined,
      { 'content-length': undefined, 'transfer-encoding': 'chunked' },
    ],
  ])('%s, is sent as it is produced, for every method', async (_case, count, framing) => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST'] as const) {
      const { url } = await serve(async (request, response) => {
        let bytes = 0
        for await (const chunk of request) bytes += (chunk as Buffer).length
        const { 'content-length': length, 'transfer-encoding': coding } = request.headers
        response.end(JSON.stringify([request.method, bytes, length, coding]))
      })
      const length = count === undefined ? {} : { length: count * 65_536 }
      const body = { chunks: source(3), ...length }
      const [sent, bytes, sentLength, coding] = JSON.parse(
        await read(await caller().open(get(url, { method, body }))),
      ) as unknown[]
      expect([sent, bytes]).toEqual([method, 196_608])
      expect([sentLength ?? undefined, coding ?? undefined]).toEqual(Object.values(framing))
    }
  })

  test('server that does not read: stops producing, fails after the idle timeout', async () => {
    const { url } = await serveRaw((socket) => void socket.pause())
    const chunks = source(100_000)
    await expect(
      caller().open(get(url, { method: 'PUT', body: { chunks }, idleTimeoutMs: 300 })),
    ).rejects.toEqual(failsWith('response-timeout'))
    // Buffers of both sockets and of Node hold the produced chunks of the request body.
    expect(chunks.produced).toBeLessThan(400)
    await eventually(() => expect(chunks.closed).toBe(true))
  })

  test.each([
    ['more', 65_535],
    ['less', 65_537],
  ])('%s bytes than declared: fails without a request to the server', async (_case, length) => {
    const completed: string[] = []
    const { url } = await serve(async (request, response) => {
      for await (const _chunk of request);
      completed.push(request.method ?? '')
      response.end()
    })
    const body = { chunks: source(1), length }
    await expect(caller().open(get(url, { method: 'PUT', body }))).rejects.toEqual(
      failsWith('protocol'),
    )
    expect(completed).toEqual([])
  })

  test('source that fails: rejects with its error and closes the connection', async () => {
    const closed = Promise.withResolvers<void>()
    const { url } = await serveRaw((socket) => void socket.resume().once('close', closed.resolve))
    async function* failing() {
      yield Buffer.from('a')
      throw new Error('the database is unavailable')
    }
    const request = get(url, { method: 'PUT', body: { chunks: failing() } })
    await expect(caller().open(request)).rejects.toThrow('the database is unavailable')
    await closed.promise
  })

  test('response before the end of the request: returned, the rest is not sent', async () => {
    const { url, sockets } = await serve((_request, response) =>
      response.writeHead(413).end('too large'),
    )
    const chunks = source(100_000)
    const response = await caller().open(get(url, { method: 'PUT', body: { chunks } }))
    expect(response.status).toBe(413)
    expect(await read(response)).toBe('too large')
    expect(chunks.produced).toBeLessThan(1_000)
    await eventually(() => expect([...sockets].every(({ destroyed }) => destroyed)).toBe(true))
  })
})

describe('HttpCaller.open: response body', () => {
  test('consecutive requests: reuse one connection, also after gzip, HEAD and 204', async () => {
    const { url, sockets } = await serve(({ method, url: path }, response) => {
      if (path === '/204') response.writeHead(204, { 'content-encoding': 'gzip' }).end()
      else {
        const bytes = gzipSync('text')
        const headers = { 'content-encoding': 'gzip', 'content-length': bytes.length }
        response.writeHead(200, headers).end(method === 'HEAD' ? undefined : bytes)
      }
    })
    const { open } = caller()
    expect(await read(await open(get(url)))).toBe('text')
    expect(await read(await open(get(url, { method: 'HEAD' })))).toBe('')
    expect(await read(await open(get(`${url}204`)))).toBe('')
    expect(await read(await open(get(url)))).toBe('text')
    expect(sockets.size).toBe(1)
  })

  test.each([
    ['gzip', gzipSync('héllo')],
    ['X-GZIP', gzipSync('héllo')],
    ['deflate', deflateSync('héllo')],
    ['identity', Buffer.from('héllo')],
    ['gzip', Buffer.concat([gzipSync('hé'), gzipSync('llo')])],
  ])('content coding %s: decoded', async (coding, bytes) => {
    let accepted: string | undefined
    const { url } = await serve(({ headers }, response) => {
      accepted = headers['accept-encoding']
      response.writeHead(200, { 'content-encoding': coding }).end(bytes)
    })
    expect(await read(await caller().open(get(url)))).toBe('héllo')
    expect(accepted).toBe('gzip, deflate')
  })

  test.each(['br', 'gzip, gzip', 'x'.repeat(500)])('content coding %s: fails', async (coding) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': coding }).end('bytes'),
    )
    await expect(caller().open(get(url))).rejects.toEqual(failsWith('protocol'))
  })

  test.each([
    ['truncated gzip', gzipSync('text').subarray(0, 12), 'protocol'],
    ['no gzip', Buffer.from('plain text'), 'protocol'],
  ])('%s: fails', async (_case, bytes, outcome) => {
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
    )
    await expect(read(await caller().open(get(url)))).rejects.toEqual(failsWith(outcome))
  })

  test('gzip bomb: fails at maxBytes of decoded bytes and closes the connection', async () => {
    const closed = Promise.withResolvers<void>()
    // Gzip bomb: body of 200 MB, compressed to 200 kB, in an HTTP response that never ends.
    const bomb = gzipSync(Buffer.alloc(20_000_000))
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).once('close', closed.resolve)
      for (let n = 0; n < 10; n++) response.write(bomb)
    })
    const { body } = await caller().open(get(url, { maxBytes: 1_000_000 }))
    let bytes = 0
    const reading = (async () => {
      for await (const chunk of body) bytes += (chunk as Buffer).length
    })()
    await expect(reading).rejects.toEqual(failsWith('too-large'))
    expect(bytes).toBeLessThanOrEqual(1_000_000)
    await closed.promise
  })

  test('endless empty gzip members: fail at maxBytes of encoded bytes', async () => {
    const empty = Buffer.concat(Array.from({ length: 5_000 }, () => gzipSync('')))
    const { url } = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(empty),
    )
    await expect(read(await caller().open(get(url, { maxBytes: 10_000 })))).rejects.toEqual(
      failsWith('too-large'),
    )
  })

  test('reader that pauses: the server is paused, and the pause is no silence', async () => {
    let sent = 0
    const { url } = await serve(async (_request, response) => {
      for (; sent < 1_000 && !response.destroyed; sent++)
        if (!response.write(Buffer.alloc(65_536))) await once(response, 'drain')
      response.end()
    })
    // HTTP timeouts pass only when the test advances the time.
    jest.useFakeTimers({ doNotFake: [...timeoutsOnly] })
    try {
      const { body } = await caller().open(get(url, { idleTimeoutMs: 200 }))
      const iterator = body[Symbol.asyncIterator]()
      await iterator.next()
      // The reader of the HTTP response body has taken as many bytes as its buffer holds.
      await eventually(() => body.readableLength >= body.readableHighWaterMark)
      await untilStill(() => sent)
      expect(sent).toBeLessThan(400)
      jest.advanceTimersByTime(10_000)
      let bytes = 0
      for await (const chunk of { [Symbol.asyncIterator]: () => iterator })
        bytes += (chunk as Buffer).length
      expect(bytes).toBeGreaterThan(60_000_000)
    } finally {
      jest.useRealTimers()
    }
  })

  test.each([
    ['after the head', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'],
    ['within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf'],
  ])('server silent %s: fails after the idle timeout', async (_case, bytes) => {
    const { url } = await serveRaw((socket) => void socket.once('data', () => socket.write(bytes)))
    let idleTimeoutMs = 100
    // On a busy machine the head of the HTTP response may take longer than the timeout; then a
    // longer timeout is tried.
    const response = await eventually(() =>
      caller().open(get(url, { idleTimeoutMs: (idleTimeoutMs *= 2) })),
    )
    await expect(read(response)).rejects.toEqual(failsWith('response-timeout'))
  })

  test('trickling body: fails after timeoutMs', async () => {
    const { url } = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.once('close', () => clearInterval(timer))
    })
    let timeoutMs = 200
    // On a busy machine the HTTP response may take longer than the timeout; then a longer timeout
    // is tried.
    const response = await eventually(() =>
      caller().open(get(url, { timeoutMs: (timeoutMs *= 2), idleTimeoutMs: 600_000 })),
    )
    await expect(read(response)).rejects.toEqual(failsWith('response-timeout'))
  })

  test.each(['Content-Length: 100\r\n\r\nhalf', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'])(
    'body cut after %j: fails',
    async (rest) => {
      const { url } = await serveRaw(
        (socket) => void socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`)),
      )
      await expect(read(await caller().open(get(url)))).rejects.toEqual(failsWith('reset'))
    },
  )

  test('failure before the first read: reported by the read, the process continues', async () => {
    const { url } = await serveRaw((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
    )
    const response = await caller().open(get(url))
    const closed = Promise.withResolvers<void>()
    response.body.resume().once('close', closed.resolve)
    await closed.promise
    await expect(read(response)).rejects.toEqual(failsWith('reset'))
  })

  test.each([
    {
      name: 'endless headers',
      line: 'X-A: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\n',
      outcome: 'protocol',
      timeoutMs: 60_000,
    },
    {
      name: 'endless interim responses',
      line: 'HTTP/1.1 102 Processing\r\n\r\n',
      outcome: 'response-timeout',
      timeoutMs: 500,
    },
  ])('$name: fail', async ({ line, outcome, ...limits }) => {
    const { url } = await serveRaw((socket) => {
      if (line.startsWith('X')) socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write(line.repeat(50)), 5)
      socket.once('close', () => clearInterval(timer))
    })
    let { timeoutMs } = limits
    // On a busy machine the connection may take longer than the timeout; then a longer timeout is
    // tried.
    await eventually(() =>
      expect(caller({ timeoutMs: (timeoutMs *= 2) }).open(get(url))).rejects.toEqual(
        failsWith(outcome),
      ),
    )
  })

  test('signal: cancels the request and the reading of the body', async () => {
    const { url } = await serve(({ url: path }, response) => {
      if (path === '/body') response.write('part')
    })
    const stop = new AbortController()
    const { open } = caller()
    const silent = open(get(url, { signal: stop.signal }))
    const response = await open(get(`${url}body`, { signal: stop.signal }))
    const reading = read(response)
    stop.abort()
    await expect(silent).rejects.toEqual(failsWith('aborted'))
    await expect(reading).rejects.toEqual(failsWith('aborted'))
    await expect(open(get(url, { signal: stop.signal }))).rejects.toEqual(failsWith('aborted'))
  })

  test('disposed or left early: closes the connection', async () => {
    const { url, sockets } = await serve((_request, response) => response.write('part'))
    const { open } = caller()
    {
      using _response = await open(get(url))
    }
    for await (const _chunk of (await open(get(url))).body) break
    await eventually(() => expect([...sockets].every(({ destroyed }) => destroyed)).toBe(true))
    expect(sockets.size).toBe(2)
  })

  test('forbidden address, refused port, invalid request: fail with their outcome', async () => {
    const { open } = caller({ policy: 'private' })
    await expect(open(get('http://127.0.0.1:8080/'))).rejects.toEqual(failsWith('egress-blocked'))
    await expect(caller().open(get('http://127.0.0.1:1/'))).rejects.toEqual(failsWith('refused'))
    await expect(open(get('ftp://a.example/'))).rejects.toEqual(failsWith('protocol'))
    await expect(open(get('http://a.example/', { headers: { a: 'b\n' } }))).rejects.toEqual(
      failsWith('protocol'),
    )
  })
})
