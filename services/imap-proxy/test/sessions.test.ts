import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { hashToken } from '@posthorn/secrets'
import { eventually, freePort, testDovecot } from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'
import { imapOf, testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

const dovecot = await testDovecot()
const proxy = await testProxy()
afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
})

const user = dovecot.freshUser()
beforeAll(async () => {
  await proxy.addAccount('acc', imapOf(user), { user: user.user, pass: user.pass })
  // The IMAP proxy listens from now on.
  ;(await proxy.open()).close()
})

async function loggedIn(token: string): Promise<RawClient> {
  const client = await proxy.open()
  expect(await client.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
  return client
}

test('session: relays 5 MB unchanged and notifications during IDLE', async () => {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port: proxy.port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: 'acc', pass: await proxy.addToken({ account: 'acc' }) },
    logger: false,
  })
  await client.connect()
  const lock = await client.getMailboxLock('INBOX')
  const body = randomBytes(3_600_000).toString('base64').replace(/.{76}/g, '$&\r\n')
  const message = `Subject: big\r\n\r\n${body}\r\n`
  const appended = await client.append('INBOX', message)
  const { content } = await client.download(String(appended && appended.uid), undefined, {
    uid: true,
  })
  const hash = createHash('sha256')
  for await (const chunk of content ?? []) hash.update(chunk as Buffer)
  expect(hash.digest('hex')).toBe(createHash('sha256').update(message).digest('hex'))

  const notified = new Promise<number>((resolve) => {
    client.on('exists', ({ count }: { count: number }) => resolve(count))
  })
  const idle = client.idle()
  await dovecot.deliver(user.user, 'Subject: small\r\n\r\nhello\r\n')
  expect(await notified).toBe(2)
  lock.release()
  await client.logout()
  await idle
})

test.each<[string, (id: string) => Promise<unknown>]>([
  ['revoked', (id) => proxy.db.deleteFrom('tokens').where('id', '=', id).execute()],
  [
    'restricted',
    (id) =>
      proxy.db
        .updateTable('tokens')
        .set({ scopes: ['api'] })
        .where('id', '=', id)
        .execute(),
  ],
])('token that is %s: ends its own sessions only', async (_what, change) => {
  const [token, kept] = [
    await proxy.addToken({ account: 'acc' }),
    await proxy.addToken({ account: 'acc' }),
  ]
  const [client, other] = [await loggedIn(token), await loggedIn(kept)]
  await change(hashToken(token))
  expect(await client.untilClosed()).toMatch(/^(\* BYE Access was withdrawn\r\n)?$/)
  expect(await other.command('b NOOP')).toMatch(/^b OK/m)
  other.close()
})

test('token that expires during a session: ends the session', async () => {
  let leftMs = 0
  // On a busy machine an access token may expire before the login; then a token with a longer life
  // is tried.
  const client = await eventually(async () => {
    leftMs += 1_500
    const expires = new Date(Date.now() + leftMs).toISOString()
    return await loggedIn(await proxy.addToken({ account: 'acc', expires }))
  })
  expect(await client.untilClosed()).toMatch(/^(\* BYE Session expired\r\n)?$/)
})

test('deleted account: ends its sessions', async () => {
  await proxy.addAccount('gone', imapOf(user), { user: user.user, pass: user.pass })
  const client = await proxy.open()
  expect(await client.command(`a LOGIN gone ${await proxy.addToken({})}`)).toMatch(/^a OK/m)
  await proxy.db.deleteFrom('accounts').where('account', '=', 'gone').execute()
  await proxy.bus.invalidate({ topic: 'accounts', id: 'gone' })
  await client.untilClosed()
})

test('maxSessionsPerAccount: one session too many, replies NO [LIMIT]', async () => {
  await using small = await testProxy({ maxSessionsPerAccount: 1 })
  await small.addAccount('acc', imapOf(user), { user: user.user, pass: user.pass })
  const token = await small.addToken({ account: 'acc' })
  const [first, second] = [await small.open(), await small.open()]
  expect(await first.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
  expect(await second.command(`a LOGIN acc ${token}`)).toBe(
    'a NO [LIMIT] Too many sessions of this account\r\n',
  )
  first.close()
  await eventually(async () =>
    expect(await second.command(`b LOGIN acc ${token}`)).toMatch(/^b OK/m),
  )
  second.close()
})

test('shutdown of one of two replicas: sends BYE, the other replica serves new clients', async () => {
  const token = await proxy.addToken({ account: 'acc' })
  const replica = await proxy.start()
  const clients = await Promise.all(Array.from({ length: 8 }, () => loggedIn(token)))
  await replica[Symbol.asyncDispose]()
  // The kernel distributes client connections at random: connections of the other replica are
  // unaffected by the shutdown.
  for (const client of clients) {
    const answer = await client.command('b NOOP').catch(() => undefined)
    if (answer === undefined)
      expect(await client.untilClosed()).toMatch(/^(\* BYE Shutting down\r\n)?$/)
    else expect(answer).toMatch(/^b OK/m)
    client.close()
  }
  const later = await loggedIn(token)
  later.close()
})

test('listener settings: start, move and stop it, a move keeps sessions', async () => {
  const token = await proxy.addToken({ account: 'acc' })
  const client = await loggedIn(token)
  const port = await freePort()
  await proxy.set({ imapProxyServerPort: port })
  const moved = await eventually(() => RawClient.open(port))
  expect(await moved.until(/\r\n/)).toMatch(/^\* OK/)
  await eventually(() =>
    expect(RawClient.open(proxy.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' }),
  )
  expect(await client.command('b NOOP')).toMatch(/^b OK/m)

  await proxy.set({ imapProxyServerEnabled: false })
  await eventually(() =>
    expect(RawClient.open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' }),
  )
  expect(await client.untilClosed()).toMatch(/^(\* BYE The proxy was switched off\r\n)?$/)

  await proxy.set({ imapProxyServerEnabled: true, imapProxyServerPort: proxy.port })
  const back = await loggedIn(token)
  back.close()
})
