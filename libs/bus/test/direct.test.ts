import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { eventually, testBus } from '@posthorn/testkit'
import { connect } from 'amqplib'
import { on } from '../src/index.ts'
import { greet, redeem } from './commands.ts'
import { openBus } from './open-bus.ts'
import { killAll, startDying } from './start-dying.ts'

const { url, drop } = await testBus()
const holder = await openBus(url, { name: 'holder', reconcileMs: 600_000 })
const raw = await connect(url)

afterAll(async () => {
  killAll()
  await raw.close()
  await holder[Symbol.asyncDispose]()
  await drop()
})

// RPC requests time out after the end of the test, so a reply in time came through another queue.
const options = { key: 'credentials', timeoutMs: 600_000 }
const serve = () =>
  holder.serve({
    queue: 'credentials',
    handlers: [on(greet, async ({ name }) => ({ words: `hello ${name}` }))],
  })

test('Bus.request: with failFast, fails soon if no process serves a shared queue', async () => {
  await using client = await openBus(url)
  const request = () => client.request(greet, { name: 'you' }, { ...options, failFast: true })
  // The shared RPC queue remains after the disposal of its responder, and accepts requests.
  await (await serve())[Symbol.asyncDispose]()
  const noResponder = { kind: 'unavailable', code: 'WorkerNotAvailable' }
  await expect(request()).rejects.toMatchObject(noResponder)
  await using server = await serve()
  await eventually(async () => expect(await request()).toEqual({ words: 'hello you' }))
  await server[Symbol.asyncDispose]()
  await expect(request()).rejects.toMatchObject(noResponder)
})

test('RpcClient: sends further requests to the direct queue of the responder', async () => {
  await using client = await openBus(url, { reconcileMs: 600_000 })
  await using other = await openBus(url, { reconcileMs: 600_000 })
  await using _server = await serve()
  const request = (bus: typeof client) => bus.request(greet, { name: 'you' }, options)
  const channel = await raw.createChannel()
  // A direct RPC queue whose responder is silent for a second is not used any more.
  await eventually(async () => {
    await channel.bindQueue('credentials', 'credentials', 'credentials')
    await request(client)
    await channel.unbindQueue('credentials', 'credentials', 'credentials')
    expect(await request(client)).toEqual({ words: 'hello you' })
  })
  await expect(request(other)).rejects.toMatchObject({ code: 'WorkerNotAvailable' })
  await channel.bindQueue('credentials', 'credentials', 'credentials')
  expect(await request(other)).toEqual({ words: 'hello you' })
  await channel.close()
})

test('RpcClient: falls back to the shared queue if the responder has stopped', async () => {
  await using client = await openBus(url)
  await using first = await serve()
  await client.request(greet, { name: 'you' }, options)
  await first[Symbol.asyncDispose]()
  const pending = client.request(greet, { name: 'me' }, options)
  await using _next = await serve()
  expect(await pending).toEqual({ words: 'hello me' })
})

test.each([
  ['before it has said that it takes a while', 'begun'],
  ['after', 'acknowledged'],
] as const)('RpcClient: with a responder killed %s, another one replies', async (_when, step) => {
  await using client = await openBus(url)
  const dying = await startDying(url, 'shared')
  expect(await client.request(greet, { name: 'you' }, options)).toEqual({ words: 'the dying' })
  const pending = client.request(greet, { name: 'you' }, options)
  await eventually(dying[step])
  dying.kill()
  await using _other = await serve()
  expect(await pending).toEqual({ words: 'hello you' })
  expect(await client.request(greet, { name: 'me' }, options)).toEqual({ words: 'hello me' })
})

/** Number of RPC requests that `holder` has dropped because another process may execute them. */
async function repeatedCount(): Promise<number> {
  const lines = (await holder.metrics.text()).split('\n')
  const line = lines.find((text) => /bus_consumed_total\{.*"repeated"/.test(text))
  return Number(line?.split(' ').at(-1) ?? 0)
}

test.each([
  ['before it has said that it takes a while', 'begun'],
  ['after', 'acknowledged'],
] as const)(
  'RpcClient: with a responder killed %s, no other responder executes a command with atMostOnce',
  async (_when, step) => {
    await using client = await openBus(url)
    const before = await repeatedCount()
    const dying = await startDying(url, 'shared')
    // From now on, the RPC client has cached the direct queue of the responder.
    expect(await client.request(greet, { name: 'you' }, options)).toEqual({ words: 'the dying' })
    const abort = new AbortController()
    const request = { ...options, signal: abort.signal }
    const pending = Promise.allSettled([client.request(redeem, { code: 'once' }, request)])
    await eventually(dying[step])
    dying.kill()
    const redeemed: string[] = []
    await using _other = await holder.serve({
      queue: 'credentials',
      handlers: [
        on(greet, async ({ name }) => ({ words: `hello ${name}` })),
        on(redeem, async ({ code }) => {
          redeemed.push(code)
          return { words: code }
        }),
      ],
    })
    await eventually(async () => expect(await repeatedCount()).toBe(before + 1))
    expect(redeemed).toEqual([])
    abort.abort(new AppError('unavailable', 'the responder is dead'))
    expect(await pending).toMatchObject([{ status: 'rejected', reason: { kind: 'unavailable' } }])
    expect(await client.request(redeem, { code: 'next' }, options)).toEqual({ words: 'next' })
  },
)
