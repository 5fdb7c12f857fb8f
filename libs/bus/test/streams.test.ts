import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { eventually, testBus } from '@posthorn/testkit'
import { type CommandContext, on } from '../src/index.ts'
import { windowChunks } from '../src/rpc/frames.ts'
import { download } from './commands.ts'
import { openBus } from './open-bus.ts'

type Body = (context: CommandContext) => AsyncIterable<Uint8Array>

const { url, closeConnections, drop } = await testBus()
const client = await openBus(url, { name: 'client' })
const holder = await openBus(url, { name: 'holder' })

afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await holder[Symbol.asyncDispose]()
  await drop()
})

let lastShard = 0
const newKey = () => `shard.${(lastShard += 1)}`
const streaming = (key: string, body: Body) =>
  holder.serve({
    queue: 'private',
    keys: [key],
    handlers: [on(download, async (_request, context) => ({ response: {}, body: body(context) }))],
  })
const requestStream = (key: string, timeoutMs = 60_000, signal?: AbortSignal) =>
  client.requestStream(download, {}, { key, timeoutMs, ...(signal ? { signal } : {}) })

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const halfMegabyte = 512 * 1024
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/**
 * Collects garbage twice: buffers that the first collection frees concurrently are counted by the
 * second collection.
 */
const collectGarbage = () => (collect(), collect())

test('Bus.requestStream: returns all bytes for any chunk size', async () => {
  const key = newKey()
  const sizes = [0, 1, 100_000, 131_064, 131_065, 262_144, 700_001, 3]
  const whole = Buffer.concat(sizes.map((size, n) => Buffer.alloc(size, n + 65)))
  await using _server = await streaming(key, async function* () {
    let from = 0
    for (const size of sizes) {
      yield whole.subarray(from, from + size)
      from += size
    }
  })
  const { response, body } = await requestStream(key)
  expect(response).toEqual({})
  expect((await readAll(body)).equals(whole)).toBe(true)
})

test('Bus.requestStream: ends for an empty stream', async () => {
  const key = newKey()
  // oxlint-disable-next-line require-yield
  await using _server = await streaming(key, async function* () {})
  expect(await readAll((await requestStream(key)).body)).toHaveLength(0)
})

test('Bus.requestStream: with a slow reader of 50 MB, neither side buffers more than a window', async () => {
  const key = newKey()
  const chunks = 100
  let sent = 0
  await using _server = await streaming(key, async function* () {
    for (; sent < chunks; sent += 1) yield Buffer.alloc(halfMegabyte, sent)
  })
  const { body } = await requestStream(key)
  // Chunks of the RPC stream that fit into a window, and one chunk that is partly sent.
  const ahead = Math.ceil((windowChunks * 128 * 1024) / halfMegabyte) + 1
  // Without a reader the sender of the RPC stream stops.
  await eventually(() => sent > 0)
  for (let n = 0; n < 100; n += 1) await turn()
  expect(sent).toBeLessThanOrEqual(ahead)

  collectGarbage()
  const before = process.memoryUsage()
  const grown = { held: 0, resident: 0 }
  let received = 0
  for await (const chunk of body) {
    received += chunk.length
    expect(sent - received / halfMegabyte).toBeLessThanOrEqual(ahead)
    if (received % (16 * halfMegabyte) > chunk.length) continue
    collectGarbage()
    const { arrayBuffers, rss } = process.memoryUsage()
    grown.held = Math.max(grown.held, arrayBuffers - before.arrayBuffers)
    grown.resident = Math.max(grown.resident, rss - before.rss)
  }
  expect(received).toBe(chunks * halfMegabyte)
  // Sender and reader of the RPC stream are in this process. Resident memory includes free memory
  // of the allocator.
  expect(grown.held).toBeLessThan(10 * 1024 * 1024)
  expect(grown.resident).toBeLessThan(80 * 1024 * 1024)
})

test('Bus.requestStream: a reader that stops early stops the sender', async () => {
  const key = newKey()
  const stopped = Promise.withResolvers<AbortSignal>()
  await using _server = await streaming(key, async function* ({ signal }) {
    try {
      for (;;) yield Buffer.alloc(1_000)
    } finally {
      stopped.resolve(signal)
    }
  })
  for await (const _chunk of (await requestStream(key)).body) break
  expect((await stopped.promise).aborted).toBe(true)
})

test('Bus.requestStream: return before the first read stops the sender', async () => {
  const key = newKey()
  const stopped = Promise.withResolvers<void>()
  await using _server = await streaming(key, async function* () {
    try {
      for (;;) yield Buffer.alloc(1_000)
    } finally {
      stopped.resolve()
    }
  })
  const { body } = await requestStream(key)
  await body[Symbol.asyncIterator]().return?.()
  await expect(stopped.promise).resolves.toBeUndefined()
})

test('Bus.requestStream: aborting the request stops the sender, even a hanging one', async () => {
  const key = newKey()
  const away = new AbortController()
  let handlerSignal: AbortSignal | undefined
  await using _server = await streaming(key, async function* ({ signal }) {
    handlerSignal = signal
    yield Buffer.from('one')
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  })
  const { body } = await requestStream(key, 60_000, away.signal)
  const reader = body[Symbol.asyncIterator]()
  expect((await reader.next()).value).toEqual(Buffer.from('one'))
  const next = reader.next()
  away.abort(new Error('went away'))
  await expect(next).rejects.toThrow('went away')
  await eventually(() => handlerSignal?.aborted === true)
})

test('Bus.requestStream: an error before the first byte rejects, a later one follows the bytes', async () => {
  const key = newKey()
  let first = true
  await using _server = await holder.serve({
    queue: 'private',
    keys: [key],
    handlers: [
      on(download, async () => {
        if (first) throw new AppError('not-found', 'no such message', { code: 'MessageNotFound' })
        return {
          response: {},
          body: (async function* () {
            yield Buffer.from('half of ')
            throw new AppError('unreachable', 'the server hung up')
          })(),
        }
      }),
    ],
  })
  await expect(requestStream(key)).rejects.toMatchObject({ code: 'MessageNotFound' })
  first = false
  const got: Uint8Array[] = []
  const reading = (async () => {
    for await (const chunk of (await requestStream(key)).body) got.push(chunk)
  })()
  await expect(reading).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'the server hung up',
  })
  expect(Buffer.concat(got).toString()).toBe('half of ')
})

test('Bus.requestStream: a silent sender fails with a timeout', async () => {
  const key = newKey()
  const sender = Promise.withResolvers<void>()
  await using _server = await streaming(key, async function* () {
    yield Buffer.from('a')
    // The sender of the RPC stream waits also after the deadline: the end of the stream could
    // overtake the timeout of the reader.
    await sender.promise
  })
  let timeoutMs = 100
  // On a busy machine the RPC reply may take longer than the timeout; then a longer timeout is
  // tried.
  const { body } = await eventually(() => requestStream(key, (timeoutMs *= 2)))
  await expect(readAll(body)).rejects.toMatchObject({ code: 'Timeout' })
  sender.resolve()
})

test('Bus.requestStream: a reader slower than the timeout loses nothing', async () => {
  const key = newKey()
  const whole = Buffer.alloc(3 * 1024 * 1024, 7)
  await using _server = await streaming(key, async function* () {
    yield whole
  })
  let timeoutMs = 75
  // On a busy machine the RPC reply or a chunk may take longer than the timeout; then a longer
  // timeout is tried.
  const length = await eventually(async () => {
    const { body } = await requestStream(key, (timeoutMs *= 2))
    const reader = body[Symbol.asyncIterator]()
    const first = await reader.next()
    const since = performance.now()
    while (performance.now() - since <= timeoutMs * 4) await turn()
    const rest = await readAll({ [Symbol.asyncIterator]: () => reader })
    return first.value.length + rest.length
  })
  expect(length).toBe(whole.length)
})

test('RpcServer: disposal ends a stream without a reader', async () => {
  const key = newKey()
  const server = await streaming(key, async function* () {
    for (;;) yield Buffer.alloc(halfMegabyte)
  })
  const { body } = await requestStream(key)
  await server[Symbol.asyncDispose]()
  await expect(readAll(body)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('Bus.requestStream: a connection loss ends the stream on both sides', async () => {
  const key = newKey()
  let handlerSignal: AbortSignal | undefined
  const stopped = Promise.withResolvers<void>()
  await using _server = await streaming(key, async function* ({ signal }) {
    handlerSignal = signal
    try {
      for (;;) yield Buffer.alloc(halfMegabyte)
    } finally {
      stopped.resolve()
    }
  })
  const { body } = await requestStream(key)
  const reading = readAll(body)
  await Promise.all([
    expect(reading).rejects.toMatchObject({ kind: 'unavailable', code: 'WorkerNotAvailable' }),
    closeConnections(),
  ])
  await stopped.promise
  expect(handlerSignal).toBeDefined()
  await client.whenUp(AbortSignal.timeout(60_000))
})

test('RpcResponder: a response that violates its contract, closes the body', async () => {
  const key = newKey()
  const closed = Promise.withResolvers<void>()
  async function* body() {
    try {
      yield Buffer.from('part')
    } finally {
      closed.resolve()
    }
  }
  const response = { size: 'unknown' } as never
  await using _server = await holder.serve({
    queue: 'private',
    keys: [key],
    handlers: [on(download, async () => ({ response, body: body() }))],
  })
  await expect(requestStream(key)).rejects.toMatchObject({ kind: 'internal' })
  await closed.promise
})
