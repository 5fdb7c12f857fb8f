import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { testProxy } from './proxy.ts'

/** Connections of the IMAP proxy on which the mail server has sent half a response to FETCH. */
const fetching: Socket[] = []
/**
 * Mail server that responds to the IMAP command FETCH with half a message. The test completes the
 * response.
 */
const upstream = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.write('* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n')
  socket.on('data', (chunk: Buffer) => {
    for (const line of String(chunk).split('\r\n').filter(Boolean)) {
      const [tag = '', name = ''] = line.split(' ')
      if (name === 'IDLE') socket.write('+ idling\r\n')
      else if (name === 'CAPABILITY') {
        socket.write(`* CAPABILITY IMAP4rev1 IDLE\r\n${tag} OK done\r\n`)
      } else if (name === 'FETCH') {
        fetching.push(socket)
        socket.write('* 1 FETCH (BODY[] {8}\r\nhalf')
      } else socket.write(`${tag} OK done\r\n`)
    }
  })
}).listen(0, '127.0.0.1')
await once(upstream, 'listening')
afterAll(() => void upstream.close())

/** IMAP proxy with three sessions: in IDLE, between commands, and with a running FETCH. */
async function proxyWithSessions(drainMs: number) {
  const proxy = await testProxy({ drainMs })
  const { port } = upstream.address() as AddressInfo
  const tls = { rejectUnauthorized: false }
  const imap = { host: '127.0.0.1', port, secure: false, auth: { user: 'u' }, tls }
  await proxy.addAccount('acc', imap, { user: 'u', pass: 'p' })
  const token = await proxy.addToken({ account: 'acc' })
  const logIn = async () => {
    const client = await proxy.open()
    expect(await client.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
    return client
  }
  const [idle, quiet, busy] = [await logIn(), await logIn(), await logIn()]
  idle.send('i IDLE\r\n')
  await idle.until(/\+ idling\r\n/)
  await quiet.command('n NOOP')
  busy.send('f FETCH 1 BODY[]\r\n')
  await busy.until(/half$/)
  return { proxy, idle, quiet, busy }
}

test('shutdown: BYE in IDLE and between commands, a running FETCH is finished first', async () => {
  const { proxy, idle, quiet, busy } = await proxyWithSessions(60_000)
  const ended = proxy.app[Symbol.asyncDispose]()
  for (const client of [idle, quiet])
    expect(await client.untilClosed()).toBe('* BYE Shutting down\r\n')
  expect(busy.closed).toBe(false)
  fetching.at(-1)?.write('rest)\r\nf OK done\r\n')
  expect(await busy.untilClosed()).toBe('rest)\r\nf OK done\r\n* BYE Shutting down\r\n')
  await ended
  expect(proxy.app.unfinished?.()).toMatchObject({ sessions: 0 })
  await proxy[Symbol.asyncDispose]()
})

test('shutdown: a FETCH that exceeds the drain time is cut without BYE and counted', async () => {
  const { proxy, busy } = await proxyWithSessions(200)
  await proxy.app[Symbol.asyncDispose]()
  expect(await busy.untilClosed()).toBe('')
  expect(proxy.app.unfinished?.()).toMatchObject({ sessions: 1 })
  await proxy[Symbol.asyncDispose]()
})
