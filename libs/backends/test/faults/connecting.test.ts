import { expect, test } from '@jest/globals'
import { imapFaults, usualCapabilities } from '@posthorn/testkit'
import { backend, connect, optionsOf, start, inTime } from './fault-setup.ts'

const { limitsConnections, notConnected, rejects, sendsRaw, times } = imapFaults

test.each<[string, string, 'close' | 'reset']>([
  ['a BYE', '* BYE Too many connections\r\n', 'close'],
  ['empty and closed', '', 'close'],
  ['a reset', '', 'reset'],
  ['an incomplete line', '* OK rea', 'reset'],
  ['a NO', '* NO go away\r\n', 'close'],
  ['another protocol', '220 smtp.example.com ESMTP\r\n', 'close'],
  ['an HTTP server', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n', 'close'],
  ['bytes', '\0\xff\x16\x03\x01\r\n\0\r\n', 'close'],
])('ImapBackend.connect: greeting is %s, is unreachable immediately', async (_, raw, then) => {
  const server = await start()
  server.on('greeting', sendsRaw(raw, then))
  await expect(inTime(backend.connect(optionsOf(server)))).rejects.toMatchObject({
    name: 'AppError',
    kind: 'unreachable',
  })
})

test('ImapBackend.connect: no greeting, fails after the timeout and closes the connection', async () => {
  const server = await start()
  server.on('greeting', () => [])
  const connecting = backend.connect({ ...optionsOf(server), connectTimeoutMs: 200 })
  await expect(inTime(connecting)).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'ETIMEDOUT',
  })
})

test('ImapBackend.connect: late or fragmented greeting, succeeds', async () => {
  const server = await start()
  server.on('greeting', async ({ session, defaultReply: usual }) => {
    const [line = ''] = await usual()
    for (const byte of line) {
      session.write(byte)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { raw: '\r\n' }
  })
  await (await connect(server)).ping()
})

test.each(['LOGIN', 'CAPABILITY', 'NAMESPACE'])(
  'ImapBackend.connect: BYE in response to %s, is unreachable with its text',
  async (name) => {
    const server = await start(0, { capabilities: ['IMAP4rev1', 'NAMESPACE'] })
    server.on(name, sendsRaw('* BYE Temporary failure of the backend\r\n', 'close'))
    await expect(inTime(backend.connect(optionsOf(server)))).rejects.toMatchObject({
      kind: 'unreachable',
      extras: { info: { response: expect.stringContaining('Temporary failure') } },
    })
  },
)

test('ImapBackend.connect: server with temporary failures, is unreachable until it recovers', async () => {
  const server = await start()
  for (const name of ['LOGIN', 'AUTHENTICATE'])
    server.on(name, times(3, rejects('NO [UNAVAILABLE] Service temporarily unavailable')))
  for (let tries = 0; tries < 3; tries++)
    await expect(backend.connect(optionsOf(server))).rejects.toMatchObject({
      kind: 'unreachable',
      code: 'UNAVAILABLE',
    })
  await (await connect(server)).ping()
})

test.each([
  ['NO [AUTHENTICATIONFAILED] Invalid credentials', 'unauthorized'],
  ['NO LOGIN Invalid credentials or IMAP is disabled', 'unauthorized'],
  ['NO [LIMIT] Rate limit hit', 'unreachable'],
  ['NO [UNAVAILABLE] Maximum number of connections from user+IP exceeded', 'unreachable'],
  ['NO [INUSE] Mailbox is in use', 'unreachable'],
  ['NO Server Unavailable. 15', 'unreachable'],
  ['NO [OVERQUOTA] Account exceeded command or bandwidth limits.', 'unreachable'],
  ['BAD Request is throttled. Suggested Backoff Time: 10 milliseconds', 'unreachable'],
])('ImapBackend.connect: login response %j, is %s', async (reply, kind) => {
  const server = await start()
  for (const name of ['LOGIN', 'AUTHENTICATE']) server.on(name, rejects(reply))
  await expect(inTime(backend.connect(optionsOf(server)))).rejects.toMatchObject({ kind })
})

test('ImapBackend.connect: connection limit of the server, is unreachable until one ends', async () => {
  const server = await start()
  const limit = limitsConnections(2)
  for (const name of ['LOGIN', 'AUTHENTICATE']) server.on(name, limit)
  const first = await connect(server)
  await connect(server)
  await expect(backend.connect(optionsOf(server))).rejects.toMatchObject({
    kind: 'unreachable',
    extras: { info: { response: expect.stringContaining('Too many simultaneous') } },
  })
  await first[Symbol.asyncDispose]()
  await connect(server)
})

test('ImapBackend.connect: login accepted for an unknown user, is unauthorized', async () => {
  const server = await start()
  server.on('*', notConnected())
  const connecting = backend.connect(optionsOf(server)).then((session) => session.listMailboxes())
  await expect(connecting).rejects.toMatchObject({ kind: 'unauthorized' })
})

test('MailSession.select: server that requires ID, sends it after the login', async () => {
  const server = await start(1)
  let introduced = false
  server.on('ID', async ({ session, defaultReply: usual }) => {
    if (session.user !== undefined) introduced = true
    return await usual()
  })
  server.on('SELECT', () =>
    introduced ? undefined : ['{tag} NO SELECT Unsafe Login. Please contact kefu@188.com for help'],
  )
  expect(await (await connect(server)).select('INBOX')).toMatchObject({ messages: 1 })
})

/**
 * Address of the local machine that does not count as loopback, so that the IMAP login requires
 * STARTTLS.
 */
const notLoopback = '127.1'

test('ImapBackend.connect: without STARTTLS, is rejected unless plaintext is allowed', async () => {
  const server = await start(0)
  const options = { ...optionsOf(server), host: notLoopback, rejectUnauthorized: false }
  await expect(backend.connect(options)).rejects.toMatchObject({ kind: 'unreachable' })
  expect(server.received.filter((line) => /LOGIN|AUTHENTICATE/.test(line))).toEqual([])
  await using session = await backend.connect({ ...options, allowsPlaintext: true })
  expect(await session.select('INBOX')).toMatchObject({ messages: 0 })
})

test('ImapBackend.connect: STARTTLS removed or broken, sends no password', async () => {
  const server = await start(0, { capabilities: [...usualCapabilities, 'STARTTLS'] })
  const { rejectUnauthorized: _, ...strict } = {
    ...optionsOf(server),
    host: notLoopback,
    connectTimeoutMs: 2_000,
  }
  await expect(backend.connect(strict)).rejects.toMatchObject({ kind: 'unreachable' })
  server.on('STARTTLS', rejects('BAD not today'))
  await expect(backend.connect(strict)).rejects.toMatchObject({ kind: 'unreachable' })
  server.capabilities.delete('STARTTLS')
  await expect(backend.connect(strict)).rejects.toMatchObject({ kind: 'unreachable' })
  server.on('STARTTLS', sendsRaw('{tag} OK go\r\n* OK not TLS at all\r\n'))
  server.capabilities.add('STARTTLS')
  await expect(inTime(backend.connect(strict))).rejects.toMatchObject({
    kind: 'unreachable',
  })
  expect(server.received.filter((line) => /LOGIN|AUTHENTICATE/.test(line))).toEqual([])
})

test('ImapBackend.connect: plaintext data before TLS, is discarded', async () => {
  const server = await start(0, { capabilities: [...usualCapabilities, 'STARTTLS'] })
  // STARTTLS response injection: an attacker sends the response to a later IMAP command in
  // plaintext before TLS starts.
  server.on('STARTTLS', async (command) => [
    ...(await command.defaultReply()),
    '* CAPABILITY IMAP4rev1 X-GM-EXT-1',
  ])
  const session = await inTime(connect(server, { connectTimeoutMs: 2_000 })).catch(
    (error: unknown) => error,
  )
  if (session instanceof Error) expect(session).toMatchObject({ kind: 'unreachable' })
  else {
    expect(server.sessions[0]?.secure).toBe(true)
    expect(session).toMatchObject({ capabilities: { gmail: false } })
  }
})
