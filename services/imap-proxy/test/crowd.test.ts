import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

// Tests of imap-proxy with many clients and random input. POSTHORN_CROWD multiplies the sizes for
// manual trials (500: a million random inputs).

const crowd = Number(process.env['POSTHORN_CROWD'] ?? 1)
const timeoutMs = 300_000 * crowd

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/**
 * Number of bytes that the buffers of this process (mail server, imap-proxy and clients) hold after
 * a garbage collection.
 */
function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

/** Mail server that accepts every IMAP login and then sends the bytes of `flood` endlessly. */
async function floodServer() {
  const flood = randomBytes(1_000_000)
  let poured = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    socket.write('* OK [CAPABILITY IMAP4rev1] hi\r\n')
    const pour = () => {
      do poured += 1
      while (socket.write(flood))
    }
    socket.once('data', () => {
      socket.write('P1 OK [CAPABILITY IMAP4rev1] in\r\n')
      socket.once('data', () => socket.on('drain', pour) && pour())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Number of times that the mail server has sent the bytes of `flood` to its clients. */
    poured: () => poured,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

const server = await floodServer()
const proxy = await testProxy({ maxPending: 200, maxSessionsPerAccount: 100_000 })
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const imap = { host: '127.0.0.1', port: server.port, secure: false, auth: { user: 'u' } }
let token: string
beforeAll(async () => {
  await proxy.addAccount('acc', imap, { user: 'u', pass: 'p' })
  token = await proxy.addToken({ account: 'acc' })
  // The listener of imap-proxy is started after this line.
  ;(await proxy.open()).close()
})

/** IMAP client that sends nothing and discards what it receives. */
async function silent(n: number): Promise<Socket> {
  const localAddress = `127.1.${Math.floor(n / 200) % 200}.${(n % 200) + 1}`
  const socket = connect({ port: proxy.port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined).resume()
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

test(
  'imap-proxy: more half-open connections than maxPending, still accepts logins',
  async () => {
    const sockets: Socket[] = []
    for (let n = 0; n < 400 * Math.min(crowd, 25); n += 1) sockets.push(await silent(n))
    const client = await proxy.open()
    expect(await client.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
    client.close()
    for (const socket of sockets) socket.destroy()
  },
  timeoutMs,
)

test(
  'imap-proxy: random bytes before the login, admits only valid logins',
  async () => {
    const words = [
      'a LOGIN acc ',
      'b AUTHENTICATE PLAIN ',
      '{3}\r\n',
      '{3+}\r\n',
      '"',
      '\r\n',
      '\0',
      '(',
    ]
    const noise = () => {
      const parts = Array.from({ length: randomInt(1, 6) }, () =>
        randomInt(2) === 0 ? (words[randomInt(words.length)] ?? '') : randomBytes(randomInt(1, 40)),
      )
      return Buffer.concat([...parts.map((part) => Buffer.from(part)), Buffer.from('\r\n')])
    }
    let sent = 0
    const lane = async (n: number) => {
      while (sent < 2_000 * crowd) {
        const client = await RawClient.open(proxy.port, `127.2.0.${n + 1}`)
        // imap-proxy ends the connection after three invalid commands; all later commands are
        // discarded unread.
        for (let k = 0; k < 10; k += 1, sent += 1) client.send(noise())
        client.socket.end()
        expect(await client.untilClosed(90_000)).not.toContain(' authenticated')
        client.close()
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, n) => lane(n)))
    const client = await proxy.open()
    expect(await client.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
    client.close()
  },
  timeoutMs,
)

test(
  'imap-proxy: stalled readers, slow down their servers with bounded memory',
  async () => {
    const count = 25 * Math.min(crowd, 40)
    const before = heldBytes()
    const clients: RawClient[] = []
    for (let n = 0; n < count; n += 1) {
      const client = await proxy.open()
      await client.command(`a LOGIN acc ${token}`)
      client.socket.pause()
      client.send('b FETCH 1:* BODY[]\r\n')
      clients.push(client)
    }
    let last = -1
    // Waits until all buffers between mail server and clients are full.
    await eventually(() => {
      const still = server.poured() === last
      last = server.poured()
      return still
    })
    // Mail server, IMAP proxy and clients run in this process; kernel buffers are not counted.
    const kept = heldBytes() - before
    expect(kept / count).toBeLessThan(1_500_000)
    for (const client of clients) client.close()
  },
  timeoutMs,
)

test('imap-proxy: login and pipelined command sent byte by byte, are handled', async () => {
  const client = await proxy.open()
  const text = `a LOGIN {3+}\r\nacc {64+}\r\n${token}\r\nb go\r\n`
  for (const byte of text) {
    client.send(byte)
    await new Promise(setImmediate)
  }
  await client.until(/^a OK acc authenticated\r\n/m)
  await client.until(/[^]{1000}/)
  client.close()
})
