import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { connectSocket } from '@posthorn/net/connect-socket'
import { eventually } from '@posthorn/testkit'
import { Relay } from '../src/relay.ts'
import { BufferPool, UpstreamReader } from '../src/upstream/upstream-reader.ts'

/** Creates a TCP connection and returns both ends. */
async function pair(): Promise<[outer: Socket, inner: Socket]> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const outer = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  })
  const [inner] = (await once(server, 'connection')) as [Socket]
  server.close()
  return [outer, inner]
}

/** Creates a TCP connection whose inner end uses an `UpstreamReader`. */
async function pairWith(intake: UpstreamReader): Promise<[outer: Socket, inner: Socket]> {
  const listening = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  const outer = once(listening, 'connection') as Promise<[Socket]>
  const opened = await connectSocket(
    { host: '127.0.0.1', port },
    { timeoutMs: 60_000, egress: 'off', signal: new AbortController().signal, reader: intake },
  )
  listening.close()
  return [(await outer)[0], opened.socket]
}

async function relayed(large?: BufferPool) {
  const intake = large && new UpstreamReader(large)
  const [client, toClient] = await pair()
  const [server, toServer] = intake ? await pairWith(intake) : await pair()
  for (const socket of [client, toClient, server, toServer]) socket.on('error', () => undefined)
  const passed = { in: 0, out: 0 }
  const relay = new Relay({
    client: toClient,
    upstream: toServer,
    ...(intake ? { reader: intake } : {}),
    sent: Buffer.alloc(0),
    bytes: {
      in: { inc: (count) => void (passed.in += count) },
      out: { inc: (count) => void (passed.out += count) },
    },
  })
  const done = new Promise<void>((resolve) => (relay.onClose = resolve))
  const close = () => [client, server].forEach((socket) => socket.destroy())
  return { client, server, relay, done, passed, close }
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function readAll(socket: Socket, slowly = false): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer)
    for (let turns = slowly ? 20 : 0; turns > 0; turns -= 1) await setImmediate()
  }
  return Buffer.concat(chunks)
}

/** Writes bytes to a socket in chunks of random size, some of one byte. */
function writeInPieces(socket: Socket, bytes: Buffer): void {
  for (let at = 0, size = 1; at < bytes.length; at += size, size = ((size * 7919) % 65_521) + 1)
    socket.write(bytes.subarray(at, at + size))
  socket.end()
}

test('Relay: random bytes in both directions, arrive unchanged', async () => {
  const { client, server, done } = await relayed()
  const [up, down] = [randomBytes(8_000_000), randomBytes(24_000_000)]
  writeInPieces(server, down)
  writeInPieces(client, up)
  const [gotDown, gotUp] = await Promise.all([readAll(client), readAll(server)])
  expect([hash(gotUp), hash(gotDown)]).toEqual([hash(up), hash(down)])
  await done
})

test.each([
  ['by itself', undefined],
  ['into memory that is used again', new BufferPool()],
])('Relay: %s, stalled client slows down its server and loses nothing', async (_how, large) => {
  const { client, server, passed, close } = await relayed(large)
  const bytes = randomBytes(40_000_000)
  client.pause()
  server.write(bytes)
  let before = -1
  await eventually(() => {
    const still = passed.out > 0 && passed.out === before
    before = passed.out
    return still
  })
  // Only the buffers of two connections are filled; the remaining bytes are still at the mail
  // server.
  expect(passed.out).toBeLessThan(16_000_000)
  server.end()
  expect(hash(await readAll(client))).toBe(hash(bytes))
  close()
})

test('UpstreamReader: sessions sharing a BufferPool, get their own bytes', async () => {
  const large = new BufferPool()
  await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const { client, server, done } = await relayed(large)
      const [up, down] = [randomBytes(300_000), randomBytes(6_000_000)]
      writeInPieces(client, up)
      writeInPieces(server, down)
      // Every second client of the relay is slow: its mail server waits, and buffers stay in use.
      const gentle = n % 2 === 0
      const [gotUp, gotDown] = await Promise.all([readAll(server), readAll(client, gentle)])
      expect([hash(gotUp), hash(gotDown)]).toEqual([hash(up), hash(down)])
      await done
    }),
  )
})

test('Relay: half-closed client, gets pending responses before the server sees the end', async () => {
  const { client, server, done } = await relayed()
  client.end('a NOOP\r\n')
  const [line] = (await once(server, 'data')) as [Buffer]
  let ended = false
  server.once('end', () => (ended = true))
  server.resume()
  server.write(`${String(line).slice(0, 1)} OK\r\n`)
  const [answer] = (await once(client, 'data')) as [Buffer]
  expect([String(answer), ended]).toEqual(['a OK\r\n', false])
  await once(server, 'end')
  server.end()
  await done
})

test('Relay: end, sends BYE between responses and never inside one', async () => {
  const quiet = await relayed()
  quiet.relay.end('Enough')
  expect(String(await readAll(quiet.client))).toBe('* BYE Enough\r\n')
  await quiet.done

  const busy = await relayed()
  busy.server.write('* 1 FETCH (BODY[] {100}\r\nhalf')
  await once(busy.client, 'readable')
  busy.relay.end('Enough')
  expect(String(await readAll(busy.client))).toBe('* 1 FETCH (BODY[] {100}\r\nhalf')
  await busy.done
})

test('Relay: one side reset, closes the other', async () => {
  for (const side of ['client', 'server'] as const) {
    const ends = await relayed()
    const other = ends[side === 'client' ? 'server' : 'client']
    other.resume()
    ends[side].resetAndDestroy()
    await Promise.all([ends.done, other.closed || once(other, 'end')])
    ends.close()
  }
})
