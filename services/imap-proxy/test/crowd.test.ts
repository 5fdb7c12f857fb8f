import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

// Many at once, and noise. Sizes are small here; POSTHORN_CROWD multiplies them for trials by hand (500: a million inputs of noise).

const crowd = Number(process.env['POSTHORN_CROWD'] ?? 1)
const patienceMs = 120_000 * crowd

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** What buffers hold: what counts is not when the collector of garbage finds the time. */
function heldBytes(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

/** A mail server that lets everybody in and then says `flood` without end. */
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
    /** How often it has said it, to all. */
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
  // From now on it listens.
  ;(await proxy.open()).close()
})

/** A client of no words: whatever it is told is thrown away. */
async function silent(n: number): Promise<Socket> {
  const localAddress = `127.1.${Math.floor(n / 200) % 200}.${(n % 200) + 1}`
  const socket = connect({ port: proxy.port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined).resume()
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

test(
  'half-open connections, far more than there are places, keep nobody out who logs in',
  async () => {
    const sockets: Socket[] = []
    for (let n = 0; n < 400 * Math.min(crowd, 25); n += 1) sockets.push(await silent(n))
    const client = await proxy.open()
    expect(await client.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
    client.close()
    for (const socket of sockets) socket.destroy()
  },
  patienceMs,
)

test(
  'noise before the login: nobody gets in, and mail clients still do',
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
    let said = 0
    const lane = async (n: number) => {
      while (said < 2_000 * crowd) {
        const client = await RawClient.open(proxy.port, `127.2.0.${n + 1}`)
        // Three bad ones and it is over; most of what follows is thrown away unread.
        for (let k = 0; k < 10; k += 1, said += 1) client.send(noise())
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
  patienceMs,
)

test(
  'readers that stall hold their servers back: what is kept for all of them is bounded',
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
    // Until nothing moves any more.
    await eventually(
      () => {
        const still = server.poured() === last
        last = server.poured()
        return still
      },
      { timeoutMs: 60_000 },
    )
    // Server, proxy and clients are all in this process; what the system holds for them is not in it.
    const kept = heldBytes() - before
    expect(kept / count).toBeLessThan(1_500_000)
    for (const client of clients) client.close()
  },
  patienceMs,
)

test('a login and what follows it, a byte at a time', async () => {
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
