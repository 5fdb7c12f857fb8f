import { once } from 'node:events'
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { letter, backend, optionsOf, start, inTime } from './fault-setup.ts'

interface LimitedLink extends AsyncDisposable {
  port: number
  /** Number of the IMAP server's bytes that the link has forwarded. */
  passed: () => number
}

/** TCP forwarder that closes the connection after a given number of bytes from the IMAP server. */
async function startLimitedLink(bytes: number, target: number): Promise<LimitedLink> {
  const sockets = new Set<Socket>()
  let passed = 0
  const server = createServer((near) => {
    const far = connectSocket(target, '127.0.0.1')
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined))
    near.on('data', (chunk) => void far.write(chunk)).on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    far.on('data', (chunk) => {
      near.write(chunk.subarray(0, bytes - passed))
      passed += chunk.length
      if (passed >= bytes) near.destroySoon()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    passed: () => passed,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

async function server() {
  const script = await start(3, { mailboxes: ['Archive'] })
  script.mailbox('INBOX').append(letter('long', 'x'.repeat(4_000)))
  return script
}

/** Runs all kinds of calls of an IMAP session. Returns the name of the last completed call. */
async function runSession(options: Parameters<typeof backend.connect>[0]): Promise<string> {
  const session = await backend.connect(options)
  let closed: Error | undefined
  const closing = session.closed.then((reason) => (closed = reason))
  try {
    await session.listMailboxes({ status: true })
    await session.select('INBOX')
    await session.searchUids({ all: true })
    await Array.fromAsync(session.fetchMessages([[1, 4]], { headers: true }))
    await Array.fromAsync((await session.downloadSource(4)).content)
    await session.changeFlags([[1, 4]], { add: ['\\Seen'] })
    await session.appendMessage('Archive', Buffer.from(letter('new')))
    await session.moveMessages([[2, 2]], 'Archive')
    await session[Symbol.asyncDispose]()
    return 'whole'
  } catch (error) {
    await closing
    expect(closed).toMatchObject({ name: 'AppError', kind: 'unreachable' })
    throw error
  }
}

test('MailSession: connection closed at any byte, pending calls fail and the server stays usable', async () => {
  const whole = await startLimitedLink(Infinity, (await server()).port)
  expect(await runSession({ ...optionsOf(await server()), port: whole.port })).toBe('whole')
  const total = whole.passed()
  await whole[Symbol.asyncDispose]()
  expect(total).toBeGreaterThan(5_000)

  const outcomes = new Map<string, number>()
  const cut = async (bytes: number) => {
    const script = await server()
    await using link = await startLimitedLink(bytes, script.port)
    const outcome = await inTime(runSession({ ...optionsOf(script), port: link.port })).catch(
      (error: unknown) => {
        expect({ bytes, error }).toMatchObject({ error: { name: 'AppError', kind: 'unreachable' } })
        return 'cut'
      },
    )
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  // Closing the IMAP connection after every single byte would take minutes. The step between tested
  // bytes is coprime to the line lengths and covers each kind of position.
  const places = Array.from({ length: Math.ceil(total / 61) }, (_, n) => 1 + n * 61)
  for (let at = 0; at < places.length; at += 8) await Promise.all(places.slice(at, at + 8).map(cut))
  expect(outcomes.get('cut')).toBeGreaterThan(50)
})
