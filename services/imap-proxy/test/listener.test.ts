import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, freePort, testDovecot } from '@posthorn/testkit'
import { imapOf, serverPassword, testProxy } from './proxy.ts'
import { RawClient } from './raw-client.ts'

// Tests of the listener settings and the server password of imap-proxy, with two replicas.

const dovecot = await testDovecot()
const proxy = await testProxy({ trustedProxies: ['127.0.7.0/24'] })
const replica = await proxy.start()
afterAll(async () => {
  await replica[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await dovecot.drop()
})

const user = dovecot.freshUser()
beforeAll(() => proxy.addAccount('acc', imapOf(user), { user: user.user, pass: user.pass }))

const invalid = 'a NO [AUTHENTICATIONFAILED] Invalid credentials\r\n'

/**
 * Stores the server password of the IMAP proxy as api-gateway does, without sealing (encrypting)
 * the password.
 */
async function setPassword(): Promise<void> {
  await proxy.db
    .insertInto('sealedSettings')
    .values({ key: 'imapProxyServerPassword', sealed: 'x' })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ sealed: 'y', updatedAt: new Date() }),
    )
    .execute()
  await proxy.bus.invalidate({ topic: 'settings' })
}

test('server password: admits to all accounts, its sessions end when it changes', async () => {
  const early = await proxy.open('127.0.2.1')
  expect(await early.command(`a LOGIN acc "${serverPassword}"`)).toBe(invalid)
  early.close()
  await setPassword()
  const client = await proxy.open('127.0.2.2')
  expect(await client.command(`a LOGIN acc "${serverPassword}"`)).toMatch(/^a OK/m)
  const token = await proxy.addToken({ account: 'acc' })
  const other = await proxy.open('127.0.2.2')
  expect(await other.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
  for (const [n, login] of ['acc "for all account"', `unknown "${serverPassword}"`].entries()) {
    const wrong = await proxy.open(`127.0.2.${n + 3}`)
    expect(await wrong.command(`a LOGIN ${login}`)).toBe(invalid)
    wrong.close()
  }
  await setPassword()
  expect(await client.untilClosed()).toMatch(/^(\* BYE Access was withdrawn\r\n)?$/)
  expect(await other.command('b NOOP')).toMatch(/^b OK/m)
  other.close()
})

test('revoked token: invalidation ends its sessions on every replica', async () => {
  const token = await proxy.addToken({ account: 'acc' })
  const clients = await Promise.all(Array.from({ length: 6 }, () => proxy.open('127.0.2.9')))
  for (const client of clients)
    expect(await client.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
  await proxy.db.deleteFrom('tokens').where('account', '=', 'acc').execute()
  await proxy.bus.invalidate({ topic: 'tokens' })
  for (const client of clients) await client.untilClosed()
})

test('listener settings: two replicas start, move and stop with them', async () => {
  const listening = async (port: number) => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => RawClient.open(port)))
    for (const client of clients) {
      expect(await client.until(/\r\n/)).toMatch(/^\* OK/)
      client.close()
    }
  }
  const closed = (port: number) =>
    eventually(() => expect(RawClient.open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' }))
  const port = await freePort()
  await proxy.set({ imapProxyServerPort: port })
  // The port of the IMAP listener becomes free after both replicas have closed it.
  await closed(proxy.port)
  await eventually(() => listening(port))
  await proxy.set({ imapProxyServerEnabled: false })
  await closed(port)
  await proxy.set({ imapProxyServerEnabled: true, imapProxyServerPort: proxy.port })
  await eventually(() => listening(proxy.port))
})

test('readiness: requires a listener where the settings enable it', async () => {
  const health = await freePort()
  await using _third = await proxy.start({ port: health })
  const ready = async () => (await fetch(`http://127.0.0.1:${health}/health/ready`)).json()
  const busy = await freePort()
  await using other = createServer().listen(busy, '127.0.0.1')
  await once(other, 'listening')
  await proxy.set({ imapProxyServerPort: busy })
  await eventually(async () =>
    expect(await ready()).toMatchObject({ success: false, failed: ['listener'] }),
  )
  await proxy.set({ imapProxyServerEnabled: false })
  await eventually(async () => expect(await ready()).toMatchObject({ success: true }))
  await proxy.set({ imapProxyServerEnabled: true, imapProxyServerPort: proxy.port })
  await eventually(async () => expect(await ready()).toMatchObject({ success: true }))
})

test('readiness: from the commit of settings that enable the listener until its port is open, not ready', async () => {
  const health = await freePort()
  await using own = await testProxy({ port: health })
  const isReady = async () => (await fetch(`http://127.0.0.1:${health}/health/ready`)).ok
  await eventually(async () => expect(await isReady()).toBe(true))
  for (let round = 0; round < 3; round += 1) {
    const port = await freePort()
    // The settings are written without a broadcast, as if RabbitMQ had lost the broadcast.
    await own.db
      .updateTable('settings')
      .set({ value: JSON.stringify(port) })
      .where('key', '=', 'imapProxyServerPort')
      .execute()
    await eventually(async () => expect(await isReady()).toBe(true))
    const client = await RawClient.open(port)
    expect(await client.until(/\r\n/)).toMatch(/^\* OK/)
    client.close()
  }
})

test('listener settings: each replica records its states for GET /v1/changes', async () => {
  // The test uses separate replicas of imap-proxy: replicas of other tests may still record their
  // state changes.
  await using own = await testProxy()
  await using _second = await own.start()
  const states = () =>
    own.db
      .selectFrom('accountChanges')
      .select(['account', 'key', 'payload'])
      .where('type', '=', 'imapProxyServerState')
      .execute()
  const recorded = async (keys: string[]) =>
    eventually(async () => {
      const rows = await states()
      expect(rows.map(({ key }) => key).toSorted()).toEqual(keys.toSorted())
      return rows
    })
  await recorded(['listening', 'listening'])
  const busy = await freePort()
  await using other = createServer().listen(busy, '127.0.0.1')
  await once(other, 'listening')
  await own.set({ imapProxyServerPort: busy })
  const failed = ['listening', 'listening', 'exited', 'exited', 'failed', 'failed']
  const rows = await recorded(failed)
  expect(rows.find(({ key }) => key === 'failed')).toMatchObject({
    account: null,
    payload: { error: { response: expect.stringContaining('EADDRINUSE') } },
  })
  other.close()
  await recorded([...failed, 'listening', 'listening'])
  await own.set({ imapProxyServerPort: own.port })
  await recorded([...failed, ...Array<string>(4).fill('listening'), 'exited', 'exited'])
})

test('PROXY header: used from trusted proxies only', async () => {
  await proxy.set({ imapProxyServerProxy: true })
  const headers = [
    'PROXY TCP4 192.0.2.1 10.0.0.1 56324 993\r\n',
    Buffer.concat([
      Buffer.from('\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c', 'latin1'),
      Buffer.from([192, 0, 2, 1, 10, 0, 0, 1, 0xdc, 4, 3, 0xe1]),
    ]),
  ]
  const greeted = async (header: string | Buffer) => {
    const client = await RawClient.open(proxy.port, '127.0.7.7')
    client.send(header)
    expect(await client.until(/\r\n/)).toBe(
      '* OK Posthorn IMAP Proxy ready for requests from 192.0.2.1\r\n',
    )
    return client
  }
  const token = await proxy.addToken({
    account: 'acc',
    restrictions: { addresses: ['192.0.2.0/24'] },
  })
  for (const header of headers) {
    // Before the IMAP listener restarts with the new setting, a PROXY header is an invalid command.
    const client = await eventually(() => greeted(header))
    expect(await client.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
    client.close()
  }
  // Waits for both replicas of imap-proxy: a replica with the old settings would send a greeting.
  await eventually(async () => {
    const silent = await RawClient.open(proxy.port, '127.0.7.7')
    await expect(silent.until(/./)).rejects.toThrow(/^closed before .*; had ""$/)
  })
  const other = await proxy.open('127.0.3.1')
  other.send(headers[0] ?? '')
  expect(await other.until(/\r\n/)).toMatch(/^PROXY BAD /)
  expect(await other.command(`a LOGIN acc ${token}`)).toBe(
    'a NO [AUTHENTICATIONFAILED] Access denied, traffic not accepted from this IP\r\n',
  )
  other.close()
})
