import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { defineCommand } from '@posthorn/contracts/define'
import { createLogger } from '@posthorn/telemetry'
import { eventually, testBus } from '@posthorn/testkit'
import { Type } from 'typebox'
import { on } from '../src/index.ts'
import { openBus } from './open-bus.ts'

const broker = await testBus()
afterAll(() => broker.drop())
const echo = defineCommand({
  name: 'echo',
  request: Type.Object({ words: Type.String() }),
  response: Type.Object({ words: Type.String() }),
})

/** Class and method of replies at which a broker may close a connection (AMQP 0-9-1 §1.4, §1.5). */
const openOk = { connection: [10, 41], channel: [20, 11] } as const
/** AMQP frame `connection.close` with code 320, an empty text and no cause. */
const closeFrame = Buffer.from('0100000000000b000a003201400000000000ce', 'hex')

/**
 * Proxy to the RabbitMQ broker that appends `connection.close` to a reply, in one chunk, on each of
 * the first `times` connections.
 */
async function closingProxy([classId, methodId]: readonly [number, number], times: number) {
  const { hostname, port, ...rest } = new URL(broker.url)
  const reply = Buffer.from([0, classId, 0, methodId])
  let closed = 0
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname)
    for (const end of [socket, upstream]) end.on('error', () => undefined)
    upstream.on('data', (chunk: Buffer) => {
      const isFirst = closed < times && chunk.includes(reply)
      if (isFirst) closed += 1
      socket.write(isFirst ? Buffer.concat([chunk, closeFrame]) : chunk)
    })
    socket.pipe(upstream).once('close', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = Object.assign(new URL(broker.url), rest)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    closed: () => closed,
    [Symbol.dispose]: () => void server.close(),
  }
}

test.each([
  ['connection', 2],
  ['channel', 2],
  ['channel', 7],
] as const)(
  'Bus: connection closed together with the reply to %s.open, %d times, is replaced',
  async (kind, times) => {
    using proxy = await closingProxy(openOk[kind], times)
    const log = createLogger('test', 'silent')
    await using bus = await openBus(proxy.url, { log })
    await bus.serve({
      queue: 'private',
      keys: ['shard.1'],
      handlers: [on(echo, async ({ words }) => ({ words }))],
    })
    const request = () =>
      bus.request(echo, { words: 'hello' }, { key: 'shard.1', timeoutMs: 5_000 })
    expect(await eventually(request)).toEqual({ words: 'hello' })
    expect(proxy.closed()).toBe(times)
  },
)
