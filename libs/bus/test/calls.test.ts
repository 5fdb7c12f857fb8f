import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { eventually, testBus } from '@posthorn/testkit'
import { connect } from 'amqplib'
import { type CommandContext, on } from '../src/index.ts'
import { greet } from './commands.ts'
import { openBus, recordingLog } from './open-bus.ts'

const { url, closeConnections, drop } = await testBus()
const { log, lines } = recordingLog()
const asker = await openBus(url, { name: 'asker' })
const holder = await openBus(url, { name: 'holder', log })

afterAll(async () => {
  await asker[Symbol.asyncDispose]()
  await holder[Symbol.asyncDispose]()
  await drop()
})

let lastShard = 0
/** Each test has a shard of its own. */
const newKey = () => `shard.${(lastShard += 1)}`

type Greeting = (request: { name: string }, context: CommandContext) => Promise<{ words: string }>

async function greeting(key: string, handle: Greeting) {
  return holder.serve({ queue: 'private', keys: [key], handlers: [on(greet, handle)] })
}

const hello: Greeting = async ({ name }) => ({ words: `hello ${name}` })
const unheld = expect.objectContaining({ kind: 'unavailable', code: 'WorkerNotAvailable' })
const late = expect.objectContaining({ kind: 'timeout', code: 'Timeout' })
const ask = (key: string, timeoutMs = 10_000) =>
  asker.request(greet, { name: 'you' }, { key, timeoutMs })

test('a question is answered', async () => {
  const key = newKey()
  await using _server = await greeting(key, hello)
  expect(await ask(key)).toEqual({ words: 'hello you' })
})

test('a hundred questions at once get each its own answer', async () => {
  const key = newKey()
  await using _server = await greeting(key, hello)
  const names = Array.from({ length: 100 }, (_, n) => `n${n}`)
  const answers = await Promise.all(
    names.map((name) => asker.request(greet, { name }, { key, timeoutMs: 10_000 })),
  )
  expect(answers).toEqual(names.map((name) => ({ words: `hello ${name}` })))
})

test('a key that nobody holds is told at once, and so is one given up', async () => {
  const key = newKey()
  // The time limit is a minute: only the broker's return can end these questions within the test's
  // own.
  await expect(ask(key, 60_000)).rejects.toEqual(unheld)
  await using server = await greeting(newKey(), hello)
  await server.bind(key)
  expect(await ask(key)).toEqual({ words: 'hello you' })
  await server.unbind(key)
  await expect(ask(key, 60_000)).rejects.toEqual(unheld)
})

test('requests are strict', async () => {
  const key = newKey()
  await using _server = await greeting(key, hello)
  const request = { name: 'you', extra: 1 } as { name: string }
  await expect(asker.request(greet, request, { key, timeoutMs: 5_000 })).rejects.toMatchObject({
    kind: 'invalid',
    extras: { fields: [expect.objectContaining({ key: 'extra' })] },
  })
})

test('an error with a meaning crosses whole; one without loses its text and is logged where it happened', async () => {
  const key = newKey()
  await using _server = await greeting(key, async ({ name }) => {
    if (name === 'you') throw new AppError('not-found', 'gone', { code: 'MessageNotFound' })
    throw new Error('password is hunter2')
  })
  await expect(ask(key)).rejects.toMatchObject({
    kind: 'not-found',
    message: 'gone',
    code: 'MessageNotFound',
  })
  const secret = asker.request(greet, { name: 'me' }, { key, timeoutMs: 5_000 })
  await expect(secret).rejects.toMatchObject({ kind: 'internal', message: 'Internal Server Error' })
  expect(lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({ words: 'command failed' }),
  ])
})

test('an answer that breaks the contract is an error of the one who gave it', async () => {
  const key = newKey()
  await using _server = await greeting(key, async () => ({ wrong: true }) as never)
  await expect(ask(key)).rejects.toMatchObject({ kind: 'internal' })
})

test('at the deadline the asker gives up and the handler is told', async () => {
  const key = newKey()
  let told: unknown
  await using _server = await greeting(key, async (_request, { signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    told = signal.reason
    return { words: 'too late' }
  })
  await expect(ask(key, 100)).rejects.toEqual(late)
  await eventually(() => told !== undefined)
})

test('a late answer disturbs nobody', async () => {
  const key = newKey()
  const slow = Promise.withResolvers<void>()
  let calls = 0
  await using _server = await greeting(key, async ({ name }) => {
    calls += 1
    if (calls === 1) await slow.promise
    return { words: `hello ${name}` }
  })
  await expect(ask(key, 50)).rejects.toEqual(late)
  slow.resolve()
  expect(await ask(key)).toEqual({ words: 'hello you' })
})

test('a request whose deadline has passed in the queue is not begun', async () => {
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
  const first = asker.request(greet, { name: 'first' }, { key, timeoutMs: 10_000 })
  await eventually(() => begun.length === 1)
  await expect(asker.request(greet, { name: 'stale' }, { key, timeoutMs: 50 })).rejects.toEqual(
    late,
  )
  busy.resolve()
  await first
  await asker.request(greet, { name: 'last' }, { key, timeoutMs: 10_000 })
  expect(begun).toEqual(['first', 'last'])
})

test('an asker that goes away cancels the work', async () => {
  const key = newKey()
  const begun = Promise.withResolvers<AbortSignal>()
  await using _server = await greeting(key, async (_request, { signal }) => {
    begun.resolve(signal)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { words: '' }
  })
  const away = new AbortController()
  const asked = asker.request(
    greet,
    { name: 'you' },
    { key, timeoutMs: 60_000, signal: away.signal },
  )
  const signal = await begun.promise
  away.abort(new Error('closed the tab'))
  await expect(asked).rejects.toThrow('closed the tab')
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
  const answers = await Promise.all([ask(queue), ask(queue)])
  expect(answers.map(({ words }) => words).sort()).toEqual(['one', 'two'])
  await other[Symbol.asyncDispose]()
})

test('what a lost server had in hand, another one answers', async () => {
  const gone = await holder.serve({ queue: 'credentials', handlers: [] })
  await gone[Symbol.asyncDispose]() // the queue is there, and nobody reads it
  const doomed = await connect(url)
  const channel = await doomed.createChannel()
  const taken = Promise.withResolvers<void>()
  await channel.consume('credentials', () => taken.resolve())
  const asked = ask('credentials')
  await taken.promise
  await doomed.close()
  await using _next = await holder.serve({ queue: 'credentials', handlers: [on(greet, hello)] })
  expect(await asked).toEqual({ words: 'hello you' })
})

test('a request that is repeated is carried out once', async () => {
  const key = newKey()
  let runs = 0
  await using _server = await greeting(key, async () => ({ words: `run ${(runs += 1)}` }))
  const again = () =>
    asker.request(greet, { name: 'you' }, { key, timeoutMs: 5_000, requestId: 'r1' })
  expect(await again()).toEqual({ words: 'run 1' })
  expect(await again()).toEqual({ words: 'run 1' })
  expect(await ask(key)).toEqual({ words: 'run 2' })
})

test('a request that failed for now is carried out again when repeated', async () => {
  const key = newKey()
  let runs = 0
  await using _server = await greeting(key, async () => {
    runs += 1
    if (runs === 1) throw new AppError('unreachable', 'server is away')
    return { words: `run ${runs}` }
  })
  const again = () =>
    asker.request(greet, { name: 'you' }, { key, timeoutMs: 5_000, requestId: 'r2' })
  await expect(again()).rejects.toMatchObject({ kind: 'unreachable' })
  expect(await again()).toEqual({ words: 'run 2' })
})

test('a server that is closed answers what it has and is told of no more', async () => {
  const key = newKey()
  const begun = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const server = await greeting(key, async () => {
    begun.resolve()
    await done.promise
    return { words: 'just in time' }
  })
  const asked = ask(key)
  await begun.promise
  const closed = server[Symbol.asyncDispose]()
  // Until the broker has taken the key away, a question may still get in, and waits like the first.
  await eventually(() => expect(ask(key, 200)).rejects.toEqual(unheld))
  done.resolve()
  expect(await asked).toEqual({ words: 'just in time' })
  await closed
})

test('a lost connection ends the questions under way; bindings and servers come back by themselves', async () => {
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
  const asked = ask(key, 60_000)
  await begun.promise
  await Promise.all([expect(asked).rejects.toEqual(unheld), closeConnections()])
  never.resolve({ words: 'nobody hears it' })
  expect(await eventually(() => ask(key))).toEqual({ words: 'hello you' })
})

test('a deleted exchange comes back with all bindings', async () => {
  const key = newKey()
  await using _server = await greeting(key, hello)
  const admin = await connect(url)
  const channel = await admin.createChannel()
  await channel.deleteExchange('commands')
  await admin.close()
  await expect(ask(key, 60_000)).rejects.toEqual(unheld)
  expect(await eventually(() => ask(key))).toEqual({ words: 'hello you' })
})
