import { once } from 'node:events'
import { createServer } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterAll, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { hashToken } from '@posthorn/secrets'
import { eventually, freePort, selfSigned } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'
import { isListening, queueIdOf, testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

const { cert, key } = selfSigned(['localhost', '127.0.0.1'])
const tlsPort = await freePort()
const proxy = await testProxy({
  tlsCert: cert,
  tlsKey: new Secret(key),
  tlsPort,
  maxPendingPerAddress: 8,
})
afterAll(() => proxy[Symbol.asyncDispose]())
const { db, send, set, outbox, addToken, token } = proxy
const trusting = { ca: cert, servername: 'localhost' }
const plain = (pass = token) => `AUTH PLAIN ${Buffer.from(`\0acc\0${pass}`).toString('base64')}`

/** Starts the SMTP listener on a new port and waits until it accepts connections. */
async function listenAt(settings: Parameters<typeof set>[0]): Promise<number> {
  const port = await freePort()
  await set({ smtpServerPort: port, ...settings })
  await eventually(() => isListening(port))
  return port
}

test('STARTTLS: with a certificate, required for clients of other hosts', async () => {
  const port = await listenAt({ smtpServerProxy: true })
  const far = await RawClient.open(port)
  far.send('PROXY TCP4 192.0.2.1 127.0.0.1 1 2\r\n')
  await far.reply()
  await far.command('EHLO x')
  expect(await far.command(plain())).toMatch(/^538 5\.7\.11 /)
  far.close()
  await set({ smtpServerProxy: false })
  const near = await listenAt({})
  const options = { ignoreTLS: false, requireTLS: true, tls: trusting }
  expect((await send({}, { port: near, options })).response).toMatch(/^250 /)
})

test('state: each replica reports its listener and certificate to mail_proxies', async () => {
  const port = await listenAt({})
  const reports = () => db.selectFrom('mailProxies').selectAll().execute()
  const listening = {
    service: 'smtp-proxy',
    listener: 'listening',
    port,
    tlsPort,
    certificateNames: ['localhost', '127.0.0.1'],
  }
  await eventually(async () => expect(await reports()).toMatchObject([listening]))
  await set({ smtpServerEnabled: false })
  await eventually(async () => expect(await reports()).toMatchObject([{ listener: 'off' }]))
  await listenAt({ smtpServerEnabled: true })
})

test('listener settings: states are recorded for GET /v1/changes', async () => {
  await set({ smtpServerEnabled: false })
  const states = () =>
    db
      .selectFrom('accountChanges')
      .select(['type', 'account', 'key'])
      .orderBy('xid')
      .orderBy('id')
      .execute()
  const state = (key: string) => ({ type: 'smtpServerState', account: null, key })
  await eventually(async () => expect((await states()).at(-1)).toEqual(state('exited')))
  await listenAt({ smtpServerEnabled: true })
  await eventually(async () => expect((await states()).at(-1)).toEqual(state('listening')))
})

test('readiness: requires a listener where the settings enable it', async () => {
  const health = await freePort()
  await using _replica = await proxy.start(health)
  const ready = async () => (await fetch(`http://127.0.0.1:${health}/health/ready`)).json()
  const busy = await freePort()
  await using other = createServer().listen(busy, '127.0.0.1')
  await once(other, 'listening')
  await set({ smtpServerPort: busy })
  await eventually(async () =>
    expect(await ready()).toMatchObject({ success: false, failed: ['listener'] }),
  )
  await set({ smtpServerEnabled: false })
  await eventually(async () => expect(await ready()).toMatchObject({ success: true }))
  await listenAt({ smtpServerEnabled: true })
  await eventually(async () => expect(await ready()).toMatchObject({ success: true }))
})

test('STARTTLS: commands pipelined in plaintext, are discarded', async () => {
  const port = await listenAt({})
  const client = await RawClient.greeted(port)
  client.send('STARTTLS\r\nMAIL FROM:<injected@example.com>\r\n')
  expect(await client.reply()).toMatch(/^220 /)
  client.send('not a handshake at all\r\n')
  expect(await client.untilClosed()).not.toMatch(/250|530/)
})

test('PendingClients: client disconnects after STARTTLS, releases its permit', async () => {
  const port = await listenAt({})
  for (let visit = 0; visit < 10; visit += 1) {
    const client = await RawClient.greeted(port)
    expect(await client.command('STARTTLS')).toMatch(/^220 /)
    if (visit % 2 === 0) client.send('no TLS handshake\r\n\r\n')
    client.close()
  }
  await eventually(async () => {
    const again = await RawClient.open(port)
    expect(await again.reply()).toMatch(/^220 /)
    again.close()
  })
})

test('smtpServerTLSEnabled: TLS from the first byte', async () => {
  const port = await listenAt({ smtpServerTLSEnabled: true })
  const options = { ignoreTLS: false, secure: true, tls: trusting }
  expect((await send({}, { port, options })).response).toMatch(/^250 /)
  const client = await RawClient.open(port)
  client.send('EHLO x\r\nMAIL FROM:<a@example.com>\r\n')
  expect(await client.untilClosed()).not.toMatch(/^\d{3}[ -]/)
  await set({ smtpServerTLSEnabled: false })
})

test('TLS port: accepts messages over implicit TLS beside STARTTLS', async () => {
  const port = await listenAt({})
  const implicit = { ignoreTLS: false, secure: true, tls: trusting }
  expect((await send({}, { port: tlsPort, options: implicit })).response).toMatch(/^250 /)
  const explicit = { ignoreTLS: false, requireTLS: true, tls: trusting }
  expect((await send({}, { port, options: explicit })).response).toMatch(/^250 /)
})

test('PROXY header: before TLS, in the same packet or separate', async () => {
  const port = await listenAt({ smtpServerTLSEnabled: true, smtpServerProxy: true })
  const { socket } = await RawClient.open(port)
  socket.write('PROXY TCP4 198.51.100.7 127.0.0.1 1 2\r\n')
  const secure = connectTls({ socket, ca: cert, servername: 'localhost' })
  const client = new RawClient(secure)
  expect(await client.reply()).toMatch(/^220 /)
  await client.command('EHLO x')
  const pass = await addToken({ account: 'acc', restrictions: { addresses: ['198.51.100.7'] } })
  expect(await client.command(plain(pass))).toMatch(/^235 /)
  client.close()
  await set({ smtpServerTLSEnabled: false, smtpServerProxy: false })
})

test('PROXY header: required from trusted proxies, versions 1 and 2 set the client address', async () => {
  const port = await listenAt({ smtpServerProxy: true })
  const pass = await addToken({ account: 'acc', restrictions: { addresses: ['198.51.100.7'] } })
  const binary = Buffer.concat([
    Buffer.from('\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c', 'latin1'),
    Buffer.from([198, 51, 100, 7, 127, 0, 0, 1, 0, 1, 0, 2]),
  ])
  await set({ smtpServerTLSEnabled: false })
  for (const [header, reply] of [
    ['PROXY TCP4 198.51.100.7 127.0.0.1 1 2\r\n', /^538 /],
    [binary, /^538 /],
    ['PROXY TCP4 198.51.100.8 127.0.0.1 1 2\r\n', /^538 /],
    ['PROXY UNKNOWN\r\n', /^535 5\.7\.8 Access denied/],
  ] as const) {
    const client = await RawClient.open(port)
    client.send(header)
    await client.reply()
    await client.command('EHLO x')
    expect(await client.command(plain(pass))).toMatch(reply)
    client.close()
  }
  const silent = await RawClient.open(port)
  silent.send('EHLO x\r\n')
  expect(await silent.untilClosed()).toBe('')
  await set({ smtpServerProxy: false })
})

test('smtpServerAuthEnabled false: X-SVC-Account names the account', async () => {
  const port = await listenAt({ smtpServerAuthEnabled: false })
  const open = createTransport({ host: '127.0.0.1', port, ignoreTLS: true })
  const mail = { from: 'me@example.com', to: 'a@example.com', text: 'x' }
  const sent = await open.sendMail({ ...mail, headers: { 'X-SVC-Account': 'acc' } })
  expect(await outbox(queueIdOf(sent))).toMatchObject({ account: 'acc' })
  await expect(open.sendMail(mail)).rejects.toMatchObject({ responseCode: 550 })
  await expect(
    open.sendMail({ ...mail, headers: { 'X-SVC-Account': 'missing' } }),
  ).rejects.toMatchObject({ responseCode: 550 })

  const client = await RawClient.greeted(port)
  await set({ smtpServerAuthEnabled: true })
  await eventually(() => isListening(port))
  expect(await client.untilClosed()).toMatch(/^421 4\.3\.2 /)
})

test('smtpServerPassword: admits to all accounts until it changes', async () => {
  const port = await listenAt({})
  const pass = 'the one for all'
  const setPassword = (updatedAt: Date) =>
    db
      .insertInto('sealedSettings')
      .values({ key: 'smtpServerPassword', sealed: 'sealed', updatedAt })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ updatedAt }))
      .execute()
  await expect(send({}, { port, pass })).rejects.toMatchObject({ responseCode: 535 })
  await setPassword(new Date(1_000))
  const serving = await proxy.servePassword(pass)
  expect((await send({}, { port, pass })).response).toMatch(/^250 /)
  for (const via of [{ pass: 'another' }, { pass, user: 'missing' }])
    await expect(send({}, { port, ...via })).rejects.toMatchObject({ responseCode: 535 })

  const client = await RawClient.greeted(port)
  expect(await client.command(plain(pass))).toMatch(/^235 /)
  await setPassword(new Date(2_000))
  expect(await client.command('MAIL FROM:<me@example.com>')).toMatch(/^(535 5\.7\.8|421 4\.7\.0) /)
  client.close()
  await serving[Symbol.asyncDispose]()
})

test('listener settings: move and stop the listener, a message in transfer is finished', async () => {
  const port = await listenAt({})
  const greetThree = () => Promise.all(Array.from({ length: 3 }, () => RawClient.greeted(port)))
  const sending = await greetThree()
  for (const client of sending) {
    await client.command(plain())
    await client.command('MAIL FROM:<me@example.com>')
    await client.command('RCPT TO:<a@example.com>')
  }
  const idle = await greetThree()
  const moved = await listenAt({})
  // Each idle SMTP session ends at a random time within 24 s, a message in transfer after 30 s at
  // the latest. The end of the first idle session leaves a busy machine enough time for the
  // messages.
  expect(await Promise.any(idle.map((client) => client.untilClosed()))).toMatch(/^421 4\.3\.2 /)
  await eventually(async () => expect(await isListening(port)).toBe(false))
  for (const client of sending) {
    expect(await client.command('DATA')).toMatch(/^354 /)
    expect(await client.command('Subject: s\r\n\r\nbody\r\n.')).toMatch(/^250 Message queued/)
  }
  for (const client of [...sending, ...idle]) expect(await client.untilClosed()).toMatch(/^421 /)

  const waiting = await RawClient.greeted(moved)
  await set({ smtpServerEnabled: false })
  await eventually(async () => expect(await isListening(moved)).toBe(false))
  expect(await waiting.untilClosed()).toMatch(/^421 /)
})

test('listener: two replicas share the port, stopping one leaves the other serving', async () => {
  await set({ smtpServerEnabled: true })
  const port = await listenAt({})
  await using replicas = new AsyncDisposableStack()
  replicas.use(await proxy.start())
  const sent = await Promise.all(Array.from({ length: 6 }, () => send({ text: 'x' }, { port })))
  expect(new Set(sent.map(queueIdOf)).size).toBe(6)
  await replicas.disposeAsync()
  expect((await send({ text: 'x' }, { port })).response).toMatch(/^250 /)
})

const withdrawn = /^421 4\.7\.0 Access was withdrawn\r\n$/

test('AuthenticatedClients: token revoked or restricted, account deleted, ends sessions on all replicas', async () => {
  const port = await listenAt({})
  await using _replica = await proxy.start()
  await proxy.addAccount('leaving')
  const [revoked, restricted, valid] = [await addToken({}), await addToken({}), await addToken({})]
  const logIn = async (pass: string, account = 'acc') => {
    const client = await RawClient.greeted(port)
    const login = Buffer.from(`\0${account}\0${pass}`).toString('base64')
    expect(await client.command(`AUTH PLAIN ${login}`)).toMatch(/^235 /)
    return client
  }
  // There is more than one valid SMTP session on each replica.
  const idle = await Promise.all(Array.from({ length: 6 }, () => logIn(revoked)))
  const other = await logIn(restricted)
  const leaving = await logIn(valid, 'leaving')
  const stays = await logIn(valid)
  const sending = await logIn(revoked)
  await sending.command('MAIL FROM:<me@example.com>')
  await sending.command('RCPT TO:<a@example.com>')
  expect(await sending.command('DATA')).toMatch(/^354 /)

  await db.deleteFrom('tokens').where('id', '=', hashToken(revoked)).execute()
  const restrictions = JSON.stringify({ addresses: ['192.0.2.1'] })
  const isRestricted = hashToken(restricted)
  await db.updateTable('tokens').set({ restrictions }).where('id', '=', isRestricted).execute()
  await db.deleteFrom('accounts').where('account', '=', 'leaving').execute()
  await proxy.invalidate('tokens')
  for (const client of [...idle, other, leaving])
    expect(await client.untilClosed()).toMatch(withdrawn)
  // The client gets the reply to its message in transfer before it is disconnected; else the client
  // would send the message again.
  expect(await sending.command('Subject: s\r\n\r\nbody\r\n.')).toMatch(/^535 5\.7\.8 /)
  expect(await sending.untilClosed()).toMatch(withdrawn)
  expect(await stays.command('NOOP')).toMatch(/^250 /)
  stays.close()
})

test('AuthenticatedClients: token expires, ends its session', async () => {
  const port = await listenAt({})
  let leftMs = 0
  // On a busy machine an access token may expire before the SMTP login; then a token with a longer
  // life is tried.
  const { client, expiresAt } = await eventually(async () => {
    leftMs += 1_500
    const pass = await addToken({})
    const expiresAt = new Date(Date.now() + leftMs)
    await db.updateTable('tokens').set({ expiresAt }).where('id', '=', hashToken(pass)).execute()
    const client = await RawClient.greeted(port)
    expect(await client.command(plain(pass))).toMatch(/^235 /)
    return { client, expiresAt }
  })
  expect(await client.untilClosed()).toMatch(/^421 4\.7\.0 Session expired\r\n$/)
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime())
})
