import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { eventually, testBus } from '@posthorn/testkit'
import { connect } from 'amqplib'
import { type CommandContext, on } from '../src/index.ts'
import { greet, readGreeting } from './commands.ts'
import { openBus, recordingLog } from './open-bus.ts'

const { url, closeConnections, drop } = await testBus()
const { log, lines } = recordingLog()
const client = await openBus(url, { name: 'client' })
const holder = await openBus(url, { name: 'holder', log })

afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await holder[Symbol.asyncDispose]()
  await drop()
})

let lastShard = 0
/** Each test of RPC calls uses a routing key (shard) of its own. */
const newKey = () => `shard.${(lastShard += 1)}`

type Greeting = (request: { name: string }, context: CommandContext) => Promise<{ words: string }>

async function greeting(key: string, handle: Greeting) {
  return holder.serve({ queue: 'private', keys: [key], handlers: [on(greet, handle)] })
}

const hello: Greeting = async ({ name }) => ({ words: `hello ${name}` })
const unheld = expect.objectContaining({ kind: 'unavailable', code: 'WorkerNotAvailable' })
const late = expect.objectContaining({ kind: 'timeout', code: 'Timeout' })
/** Timeout of RPC requests that is longer than any pause of a busy machine. */
const patientMs = 60_000
const request = (key: string, timeoutMs = patientMs) =>
  client.request(greet, { name: 'you' }, { key, timeoutMs })

/**
 * Expects RPC requests to time out until `hasBegun`: on a busy machine, some requests time out
 * before they begin.
 */
async function expectLate(key: string, hasBegun: () => boolean): Promise<void> {
  let timeoutMs = 50
  await eventually(async () => {
    await expect(request(key, (timeoutMs *= 2))).rejects.toEqual(late)
    expect(hasBegun()).toBe(true)
  })
}

test('Bus.request: returns the reply', async () => {
  const key = newKey()
  await using _server = await greeting(key, hello)
  expect(await request(key)).toEqual({ words: 'hello you' })
})

test('Bus.request: 100 concurrent requests get their own replies', async () => {
  const key = newKey()
  await using _server = await greeting(key, hello)
  const names = Array.from({ length: 100 }, (_, n) => `n${n}`)
  const replies = await Promise.all(
    names.map((name) => client.request(greet, { name }, { key, timeoutMs: patientMs })),
  )
  expect(replies).toEqual(names.map((name) => ({ words: `hello ${name}` })))
})

test('Bus.request: fails immediately for a key that is not bound or was unbound', async () => {
  const key = newKey()
  // The RPC request would time out after the end of the test, so only a returned message can end
  // the request in time.
  await expect(request(key, 60_000)).rejects.toEqual(unheld)
  await using server = await greeting(newKey(), hello)
  await server.bind(key)
  expect(await request(key)).toEqual({ words: 'hello you' })
  await server.unbind(key)
  await expect(request(key, 60_000)).rejects.toEqual(unheld)
})

test('Bus.request: rejects unknown request fields', async () => {
  const key = newKey()
  await using _server = await greeting(key, hello)
  const request = { name: 'you', extra: 1 } as { name: string }
  await expect(client.request(greet, request, { key, timeoutMs: patientMs })).rejects.toMatchObject(
    {
      kind: 'invalid',
      extras: { fields: [expect.objectContaining({ key: 'extra' })] },
    },
  )
})

test('RpcResponder: sends an AppError unchanged, logs any other error and hides its text', async () => {
  const key = newKey()
  await using _server = await greeting(key, async ({ name }) => {
    if (name === 'you') throw new AppError('not-found', 'gone', { code: 'MessageNotFound' })
    throw new Error('password is hunter2')
  })
  await expect(request(key)).rejects.toMatchObject({
    kind: 'not-found',
    message: 'gone',
    code: 'MessageNotFound',
  })
  const secret = client.request(greet, { name: 'me' }, { key, timeoutMs: patientMs })
  await expect(secret).rejects.toMatchObject({ kind: 'internal', message: 'Internal Server Error' })
  expect(lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({ words: 'command failed' }),
  ])
})

test('RpcResponder: a response that violates the contract is an internal error', async () => {
  const key = newKey()
  await using _server = await greeting(key, async () => ({ wrong: true }) as never)
  await expect(request(key)).rejects.toMatchObject({ kind: 'internal' })
})

test('Bus.request: at the deadline, rejects and aborts the signal of the handler', async () => {
  const key = newKey()
  let hasBegun = false
  let reason: unknown
  // A reply at the deadline of the RPC request could overtake the timeout of the requester.
  const replied = Promise.withResolvers<void>()
  await using _server = await greeting(key, async (_request, { signal }) => {
    hasBegun = true
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    reason = signal.reason
    await replied.promise
    return { words: 'too late' }
  })
  await expectLate(key, () => hasBegun)
  await eventually(() => reason !== undefined)
  replied.resolve()
})

test('Bus.request: ignores a late reply', async () => {
  const key = newKey()
  const slow = Promise.withResolvers<void>()
  let calls = 0
  await using _server = await greeting(key, async ({ name }) => {
    calls += 1
    await slow.promise
    return { words: `hello ${name}` }
  })
  await expectLate(key, () => calls > 0)
  slow.resolve()
  expect(await request(key)).toEqual({ words: 'hello you' })
})

test('RpcResponder: does not execute a request that expired in the queue', async () => {
  const key = newKey()
  const busy = Promise.withResolvers<void>()
  const begun: string[] = []
  await using _server = await holder.serve({
    queue: 'private',
    keys: [key],
    concurrency: 1,
    handlers: [
      on(greet, async ({ name }) => {
        begun.push(name)
        await busy.promise
        return { words: name }
      }),
    ],
  })
  const first = client.request(greet, { name: 'first' }, { key, timeoutMs: patientMs })
  await eventually(() => begun.length === 1)
  await expect(client.request(greet, { name: 'stale' }, { key, timeoutMs: 50 })).rejects.toEqual(
    late,
  )
  busy.resolve()
  await first
  await client.request(greet, { name: 'last' }, { key, timeoutMs: patientMs })
  expect(begun).toEqual(['first', 'last'])
})

test('Bus.request: aborting the request cancels its execution', async () => {
  const key = newKey()
  const begun = Promise.withResolvers<AbortSignal>()
  await using _server = await greeting(key, async (_request, { signal }) => {
    begun.resolve(signal)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { words: '' }
  })
  const away = new AbortController()
  const pending = client.request(
    greet,
    { name: 'you' },
    { key, timeoutMs: 60_000, signal: away.signal },
  )
  const signal = await begun.promise
  away.abort(new Error('closed the tab'))
  await expect(pending).rejects.toThrow('closed the tab')
  await eventually(() => signal.aborted)
})

test.each(['credentials', 'verify.imap', 'verify.smtp'] as const)('two share %s', async (queue) => {
  const other = await openBus(url)
  const both = Promise.withResolvers<void>()
  const taken = new Set<string>()
  const serving = (bus: typeof other, name: string) =>
    bus.serve({
      queue,
      concurrency: 1,
      handlers: [
        on(greet, async () => {
          taken.add(name)
          if (taken.size === 2) both.resolve()
          await both.promise
          return { words: name }
        }),
      ],
    })
  await using _one = await serving(other, 'one')
  await using _two = await serving(holder, 'two')
  const replies = await Promise.all([request(queue), request(queue)])
  expect(replies.map(({ words }) => words).sort()).toEqual(['one', 'two'])
  await other[Symbol.asyncDispose]()
})

test('RpcServer: unacknowledged requests of a lost process are redelivered to another one', async () => {
  const gone = await holder.serve({ queue: 'credentials', handlers: [] })
  await gone[Symbol.asyncDispose]() // The RPC queue exists now without a consumer.
  const doomed = await connect(url)
  const channel = await doomed.createChannel()
  const taken = Promise.withResolvers<void>()
  await channel.consume('credentials', () => taken.resolve())
  const pending = request('credentials')
  await taken.promise
  await doomed.close()
  await using _next = await holder.serve({ queue: 'credentials', handlers: [on(greet, hello)] })
  expect(await pending).toEqual({ words: 'hello you' })
})

test('ReplyCache: a repeated request id is executed once', async () => {
  const key = newKey()
  let runs = 0
  await using _server = await greeting(key, async () => ({ words: `run ${(runs += 1)}` }))
  const again = () =>
    client.request(greet, { name: 'you' }, { key, timeoutMs: patientMs, requestId: 'r1' })
  expect(await again()).toEqual({ words: 'run 1' })
  expect(await again()).toEqual({ words: 'run 1' })
  expect(await request(key)).toEqual({ words: 'run 2' })
})

test('ReplyCache: the reply of a repeatable command is not stored', async () => {
  const key = newKey()
  let runs = 0
  const read = on(readGreeting, async () => ({ words: `run ${(runs += 1)}` }))
  await using _server = await holder.serve({ queue: 'private', keys: [key], handlers: [read] })
  const again = () =>
    client.request(readGreeting, { name: 'you' }, { key, timeoutMs: patientMs, requestId: 'r3' })
  expect(await again()).toEqual({ words: 'run 1' })
  expect(await again()).toEqual({ words: 'run 2' })
})

test('ReplyCache: a repeat after a temporary failure is executed again', async () => {
  const key = newKey()
  let runs = 0
  await using _server = await greeting(key, async () => {
    runs += 1
    if (runs === 1) throw new AppError('unreachable', 'server is unavailable')
    return { words: `run ${runs}` }
  })
  const again = () =>
    client.request(greet, { name: 'you' }, { key, timeoutMs: patientMs, requestId: 'r2' })
  await expect(again()).rejects.toMatchObject({ kind: 'unreachable' })
  expect(await again()).toEqual({ words: 'run 2' })
})

test('RpcServer: disposal replies to requests in progress and takes no more', async () => {
  const key = newKey()
  const begun = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const server = await greeting(key, async () => {
    begun.resolve()
    await done.promise
    return { words: 'just in time' }
  })
  const pending = request(key)
  await begun.promise
  const closed = server[Symbol.asyncDispose]()
  // An RPC request may still reach the queue and wait there until the broker has removed the
  // binding.
  await eventually(() => expect(request(key, 200)).rejects.toEqual(unheld))
  done.resolve()
  expect(await pending).toEqual({ words: 'just in time' })
  await closed
})

test('Bus: after a connection loss, fails pending requests and restores servers and bindings', async () => {
  const key = newKey()
  const begun = Promise.withResolvers<void>()
  const never = Promise.withResolvers<{ words: string }>()
  let calls = 0
  await using server = await greeting(newKey(), async (request, context) => {
    calls += 1
    if (calls > 1) return hello(request, context)
    begun.resolve()
    return never.promise
  })
  await server.bind(key)
  const pending = request(key, 60_000)
  await begun.promise
  await Promise.all([expect(pending).rejects.toEqual(unheld), closeConnections()])
  never.resolve({ words: 'not received' })
  expect(await eventually(() => request(key, 10_000))).toEqual({ words: 'hello you' })
})

test('Bus: redeclares a deleted exchange with its bindings', async () => {
  const key = newKey()
  await using _server = await greeting(key, hello)
  const admin = await connect(url)
  const channel = await admin.createChannel()
  await channel.deleteExchange('commands')
  await admin.close()
  await expect(request(key, 60_000)).rejects.toEqual(unheld)
  expect(await eventually(() => request(key, 10_000))).toEqual({ words: 'hello you' })
})
