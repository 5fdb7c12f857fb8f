import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { dispatcherBench } from './dispatcher.ts'

// Tests of misbehaving webhook receivers. Each attempt ends in time, uses little memory and delays
// no other delivery.

const timeoutMs = 10_000 // a busy host needs part of this timeout to detect a closed connection
const bench = await dispatcherBench()
const dispatcher = await bench.start({
  SVC_WEBHOOK_TIMEOUT: `${timeoutMs}ms`,
  SVC_WEBHOOK_RETRY_BASE: '1h',
})
const servers: Server[] = []
const sockets = new Set<Socket>()
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

/** Webhook receiver that responds with `answer` after the request, or after the connection. */
async function misbehaving(answer: (socket: Socket) => void, read = true): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    if (read) socket.once('data', () => answer(socket))
    else answer(socket)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const head = 'HTTP/1.1 200 OK\r\n'
const megabyte = Buffer.alloc(1_048_576, 'x')

/** Writes to the webhook client as fast as it reads, up to `count` times. */
function pour(socket: Socket, piece: Buffer | string, count = Infinity): void {
  const more = () => {
    while (count-- > 0 && !socket.destroyed) if (!socket.write(piece)) return
    if (!socket.destroyed) socket.end()
  }
  socket.on('drain', more)
  more()
}

function trickle(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ' '), 50)
  socket.once('close', () => clearInterval(timer))
}

interface Case {
  name: string
  answer: (socket: Socket) => void
  read?: boolean
  outcome: string
  delivered?: boolean
}

const cases: Case[] = [
  { name: 'no response', answer: () => undefined, outcome: 'response-timeout' },
  {
    name: 'request not read',
    answer: (socket) => socket.pause(),
    read: false,
    outcome: 'response-timeout',
  },
  {
    name: 'closed after the connection',
    answer: (socket) => socket.destroy(),
    read: false,
    outcome: 'reset',
  },
  { name: 'closed after the request', answer: (socket) => socket.destroy(), outcome: 'reset' },
  { name: 'connection reset', answer: (socket) => socket.resetAndDestroy(), outcome: 'reset' },
  {
    name: 'truncated head',
    answer: (socket) => socket.end('HTTP/1.1 200'),
    outcome: 'reset',
  },
  {
    name: 'truncated body',
    answer: (socket) => socket.end(`${head}Content-Length: 100\r\n\r\nhalf`),
    outcome: 'reset',
  },
  {
    name: 'slow head',
    answer: (socket) => trickle(socket, `${head}X-Long: ${'x'.repeat(1_000)}`),
    outcome: 'response-timeout',
  },
  {
    name: 'slow body',
    answer: (socket) => {
      socket.write(`${head}Content-Length: 100000\r\n\r\n`)
      trickle(socket, 'x')
    },
    outcome: 'response-timeout',
  },
  {
    name: 'endless head',
    answer: (socket) => {
      socket.write(head)
      pour(socket, `X-More: ${'x'.repeat(1_000)}\r\n`)
    },
    outcome: 'protocol',
  },
  {
    name: 'body of 100 MB',
    answer: (socket) => {
      socket.write(`${head}Content-Length: ${100 * megabyte.length}\r\n\r\n`)
      pour(socket, megabyte, 100)
    },
    outcome: '2xx',
    delivered: true,
  },
  {
    name: 'endless body',
    answer: (socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
      pour(socket, Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]))
    },
    outcome: '2xx',
    delivered: true,
  },
  {
    name: 'other protocol',
    answer: (socket) => socket.end('220 mail.example ESMTP\r\n'),
    outcome: 'protocol',
  },
]

/** Number of concurrent calls to each webhook receiver. */
const width = 4

test('createAttempts: classifies each misbehaving receiver without delaying a healthy one', async () => {
  const good = await bench.receiver()
  const accounts: string[] = []
  for (const [index, { answer, read = true }] of cases.entries()) {
    const url = await misbehaving(answer, read)
    for (let n = 0; n < width; n++) {
      const account = `${index}-${n}`
      accounts.push(account)
      await bench.account(account, { webhooks: url })
    }
  }
  await bench.account('good', { webhooks: good.url })
  const before = process.memoryUsage().rss
  let peak = before
  const watching = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20)
  await bench.emit(...accounts.map((account) => ({ account })))
  for (let n = 1; n <= 3; n++) {
    await bench.emit({ account: 'good' })
    await eventually(() => expect(good.requests).toHaveLength(n))
  }
  for (const [index, { outcome, delivered = false }] of cases.entries())
    await eventually(async () => {
      for (let n = 0; n < width; n++)
        expect([index, await bench.deliveries(`${index}-${n}`)]).toEqual([
          index,
          [
            expect.objectContaining({
              attempts: 1,
              lastOutcome: outcome,
              state: delivered ? 'delivered' : 'due',
            }),
          ],
        ])
    })
  clearInterval(watching)
  // Both ends of the webhook connections are in this process, so the buffers of both ends are
  // included.
  expect(peak - before).toBeLessThan(200 * 1_048_576)
})
