import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { constants, createDeflateRaw, createInflateRaw, deflateRawSync } from 'node:zlib'
import { afterEach, expect, test } from '@jest/globals'
import { createImapBackend } from '../src/imap/backend.ts'
import { quietLogger } from './quiet-logger.ts'

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of cleanups.splice(0)) await close()
})

interface CompressingServer {
  port: number
  received: string[]
  /** Bytes that the IMAP server has sent since COMPRESS. */
  sent: () => number
}

/** IMAP server that compresses after its OK to COMPRESS, or sends invalid DEFLATE. */
async function compressingServer(
  behaviour: 'works' | 'garbage' | 'rejects' | 'bomb',
): Promise<CompressingServer> {
  const received: string[] = []
  let sent = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    let write = (text: string): void => void socket.write(text)
    const reply = (line: string) => {
      received.push(line)
      const [tag = '', name = ''] = line.split(' ')
      const done = `${tag} OK done\r\n`
      if (name === 'CAPABILITY')
        write(`* CAPABILITY IMAP4rev1 COMPRESS=DEFLATE${tag === '1' ? '' : ' IDLE'}\r\n${done}`)
      else if (name === 'COMPRESS' && behaviour === 'rejects') write(`${tag} NO not now\r\n`)
      else if (name === 'COMPRESS') {
        write(done)
        compress()
      } else if (name === 'SELECT') select(done)
      else if (name === 'LIST')
        write(`* LIST () "/" ${line.includes('"" ""') ? '""' : 'INBOX'}\r\n${done}`)
      else write(done)
    }
    const lines = linesTo(reply)
    socket.on('data', lines)
    socket.write('* OK ready\r\n')

    function select(done: string): void {
      const text = 'x'.repeat(100_000)
      if (behaviour === 'bomb') explode(socket)
      else write(`* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK ${text}\r\n${done}`)
    }

    function compress(): void {
      const unpacked = createInflateRaw()
      const packed = createDeflateRaw()
      socket.off('data', lines)
      socket
        .pipe(unpacked)
        .on('data', linesTo(reply))
        .on('error', () => socket.destroy())
      packed.on('data', (bytes: Buffer) => {
        sent += bytes.length
        socket.write(behaviour === 'garbage' ? Buffer.alloc(bytes.length, 0xff) : bytes)
      })
      write = (text) => {
        packed.write(text)
        packed.flush()
      }
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
    await once(server, 'close')
  })
  return { port: (server.address() as AddressInfo).port, received, sent: () => sent }
}

/**
 * Compressed block of 1 KB that contains 1 MB of a single IMAP line. The flush makes the block
 * independent of other blocks.
 */
const block = deflateRawSync(Buffer.alloc(2 ** 20, 'x'), { finishFlush: constants.Z_SYNC_FLUSH })

/** Sends a compressed IMAP line that has 4 GB after decompression. */
function explode(socket: Socket): void {
  let left = 4_096
  const more = () => {
    while (left-- > 0 && !socket.destroyed && socket.write(block));
  }
  socket.on('drain', more)
  more()
}

function linesTo(reply: (line: string) => void): (bytes: Buffer) => void {
  let rest = ''
  return (bytes) => {
    const lines = (rest + bytes.toString('latin1')).split('\r\n')
    rest = lines.pop() ?? ''
    lines.forEach(reply)
  }
}

function optionsOf({ port }: CompressingServer) {
  return {
    host: '127.0.0.1',
    port,
    secure: false,
    credentials: { user: 'me', pass: 'secret' },
    log: quietLogger(),
    connectTimeoutMs: 60_000,
  }
}

test('enableCompression: compressed connection, reads and writes valid DEFLATE', async () => {
  const server = await compressingServer('works')
  await using one = await createImapBackend().connect(optionsOf(server))
  expect(await one.select('INBOX')).toMatchObject({ messages: 3 })
  expect(server.sent()).toBeLessThan(5_000)
  await one.ping()
  expect(server.received.some((line) => line.endsWith('COMPRESS DEFLATE'))).toBe(true)
  expect(server.received.at(-1)).toMatch(/NOOP$/)
})

test('enableCompression: command longer than a block, arrives complete', async () => {
  const server = await compressingServer('works')
  await using one = await createImapBackend().connect(optionsOf(server))
  const path = 'x'.repeat(200_000)
  await one.status(path).catch(() => {})
  expect(server.received.some((line) => line.includes(`STATUS "${path}" (`))).toBe(true)
})

test('enableCompression: COMPRESS rejected, session stays usable', async () => {
  const server = await compressingServer('rejects')
  await using one = await createImapBackend().connect(optionsOf(server))
  expect(await one.select('INBOX')).toMatchObject({ messages: 3 })
})

test('enableCompression: line of 4 GB in 4 MB, closes the connection within bounded memory', async () => {
  const server = await compressingServer('bomb')
  await using one = await createImapBackend().connect(optionsOf(server))
  const { rss } = process.memoryUsage()
  await expect(one.select('INBOX')).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'LineTooLarge',
  })
  expect(process.memoryUsage().rss - rss).toBeLessThan(128 * 2 ** 20)
})

test('QuirkCache: invalid DEFLATE from a server, disables compression for later sessions', async () => {
  const server = await compressingServer('garbage')
  const backend = createImapBackend()
  await expect(
    backend.connect(optionsOf(server)).then((one) => one.select('INBOX')),
  ).rejects.toMatchObject({
    name: 'AppError',
    kind: 'unreachable',
  })
  const before = server.received.length
  await using one = await backend.connect(optionsOf(server))
  expect(await one.select('INBOX')).toMatchObject({ messages: 3 })
  expect(server.received.slice(before).some((line) => line.includes('COMPRESS'))).toBe(false)
})
