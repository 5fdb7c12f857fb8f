import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { startProxy, testDovecot } from '@posthorn/testkit'
import { quietLogger } from './quiet-logger.ts'
import { backend, start } from './scripted-session.ts'

const dovecot = await testDovecot()
const proxy = await startProxy()
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
})
const at = (protocol: string) => `${protocol}://${proxy.host}:${proxy.port}`

test.each(['socks5', 'socks4a', 'socks4', 'http'])(
  'openTunnel: greeting in one packet with the reply of a %s proxy, is received',
  async (protocol) => {
    const { options } = await start()
    const requestsBefore = proxy.requests.length
    const proxied = { ...options, proxy: at(protocol) }
    // The mail server is on loopback, but the plaintext login passes through the proxy.
    await expect(backend.connect(proxied)).rejects.toMatchObject({ kind: 'unreachable' })
    await using session = await backend.connect({ ...proxied, allowsPlaintext: true })
    expect(await session.select('INBOX')).toMatchObject({ messages: 3 })
    expect(proxy.requests).toHaveLength(requestsBefore + 2)
  },
)

test.each([
  ['STARTTLS', 'socks5', false],
  ['STARTTLS', 'http', false],
  ['Implicit TLS', 'socks5', true],
  ['Implicit TLS', 'http', true],
])(
  'openTunnel: %s through a %s proxy, is negotiated with the server',
  async (_what, protocol, secure) => {
    const { host, imapPort, imapsPort, user, pass } = dovecot.freshUser()
    const options = {
      host,
      port: secure ? imapsPort : imapPort,
      secure,
      credentials: { user, pass },
      log: quietLogger(),
      proxy: at(protocol),
    }
    // With TLS the mail client sends first, so the proxy gets no greeting of the mail server.
    proxy.withGreeting = !secure
    {
      await using session = await backend.connect({ ...options, rejectUnauthorized: false })
      expect(await session.select('INBOX')).toMatchObject({ messages: 0 })
    }
    await expect(backend.connect({ ...options, host: 'mail.test' })).rejects.toMatchObject({
      kind: 'unreachable',
    })
    proxy.names.set('mail.test', host)
    await expect(backend.connect({ ...options, host: 'mail.test' })).rejects.toMatchObject({
      kind: 'unreachable',
      code: expect.stringMatching(/CERT|SIGNED/),
    })
    proxy.names.clear()
  },
)

test('openTunnel: abort while the proxy is silent, closes the connection', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  try {
    const { options } = await start()
    const stop = new AbortController()
    const connected = once(silent, 'connection')
    const connecting = backend.connect({
      ...options,
      proxy: `socks5://127.0.0.1:${port}`,
      signal: stop.signal,
    })
    const [socket] = (await connected) as [Socket]
    stop.abort(new Error('enough'))
    await expect(connecting).rejects.toMatchObject({ name: 'AppError' })
    await once(socket.resume(), 'close')
  } finally {
    silent.close()
  }
})
