import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { eventually, freePort, selfSigned, testDovecot } from '@posthorn/testkit'
import { sql } from 'kysely'
import { imapOf, testProxy } from './proxy.ts'

// Tests of the table mail_proxies, in which each replica reports its state.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const folder = stack.adopt(await mkdtemp(join(tmpdir(), 'posthorn-state-')), (path) =>
  rm(path, { recursive: true }),
)
const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]

const first = selfSigned(['first.example', '127.0.0.1'])
await writeFile(certFile, first.cert)
await writeFile(keyFile, first.key)
const tlsPort = await freePort()
const proxy = stack.use(
  // One database connection must suffice for an idle replica and its reports.
  await testProxy({ tlsCert: certFile, tlsKey: new Secret(keyFile), tlsPort, databasePoolSize: 1 }),
)

const reports = () => proxy.db.selectFrom('mailProxies').selectAll().orderBy('id').execute()
/** Waits until each replica reports the given state. */
const reported = (...states: object[]) =>
  eventually(async () => {
    const rows = await reports()
    expect(rows).toEqual(states.map((state) => expect.objectContaining(state)))
    return rows
  })
const listening = () => ({
  service: 'imap-proxy',
  hostName: hostname(),
  listener: 'listening',
  port: proxy.port,
  tls: false,
  tlsPort,
  error: null,
})
const closed = { port: null, tls: null, tlsPort: null }

test('state: reports the open listener with its certificate, until the settings disable it', async () => {
  const names = ['first.example', '127.0.0.1']
  const [open] = await reported({ ...listening(), certificateNames: names, sessions: 0 })
  expect(open?.certificateExpiresAt?.getTime()).toBeGreaterThan(Date.now())
  await proxy.set({ imapProxyServerEnabled: false })
  await reported({ listener: 'off', ...closed, certificateNames: null, certificateExpiresAt: null })
  await proxy.set({ imapProxyServerEnabled: true })
  const [again] = await reported({ ...listening(), certificateNames: names })
  expect(again?.id).toBe(open?.id)
})

test('state: reports why the listener does not listen', async () => {
  const busy = await freePort()
  await using other = createServer().listen(busy, '127.0.0.1')
  await once(other, 'listening')
  await proxy.set({ imapProxyServerPort: busy })
  const error = expect.stringContaining('EADDRINUSE')
  await reported({ listener: 'failed', ...closed, error })
  await proxy.set({ imapProxyServerPort: proxy.port })
  await reported(listening())
})

test('state: reports a renewed certificate, and the old one while key and certificate differ', async () => {
  const second = selfSigned(['second.example'])
  await writeFile(certFile, second.cert)
  const [before] = await reports()
  const changedAt = Date.now()
  await eventually(async () => {
    const [report] = await reports()
    expect(report).toMatchObject({
      ...listening(),
      certificateNames: ['first.example', '127.0.0.1'],
    })
    // The IMAP listener has read the changed certificate file meanwhile, because the listener reads
    // its certificate files every 2 s.
    return (report?.reportedAt.getTime() ?? 0) > changedAt + 4_000
  })
  await writeFile(keyFile, second.key)
  const [after] = await reported({ ...listening(), certificateNames: ['second.example'] })
  expect(after?.id).toBe(before?.id)
})

test('state: reports a certificate that cannot be read, until its file exists', async () => {
  await proxy.set({ imapProxyServerEnabled: false })
  await reported({ listener: 'off' })
  const { cert, key } = selfSigned(['third.example'])
  await rm(certFile)
  await writeFile(keyFile, key)
  await proxy.set({ imapProxyServerEnabled: true })
  const error = expect.stringContaining('ENOENT')
  await reported({ listener: 'failed', ...closed, error, certificateNames: null })
  await writeFile(certFile, cert)
  await reported({ ...listening(), certificateNames: ['third.example'] })
})

test('state: two replicas report their sessions, and a replica that stops removes its report', async () => {
  const dovecot = stack.adopt(await testDovecot(), (each) => each.drop())
  const user = dovecot.freshUser()
  await proxy.addAccount('acc', imapOf(user), { user: user.user, pass: user.pass })
  const token = await proxy.addToken({ account: 'acc' })
  const replica = await proxy.start({ tlsPort: await freePort() })
  const rows = await reported({ listener: 'listening' }, { listener: 'listening' })
  expect(new Set(rows.map((row) => row.tlsPort)).size).toBe(2)
  const clients = await Promise.all(Array.from({ length: 4 }, () => proxy.open()))
  for (const client of clients)
    expect(await client.command(`a LOGIN acc ${token}`)).toMatch(/^a OK/m)
  await eventually(async () => {
    const sessions = (await reports()).map((row) => row.sessions)
    expect(sessions.reduce((sum, each) => sum + each, 0)).toBe(4)
  })
  for (const client of clients) client.close()
  await replica[Symbol.asyncDispose]()
  expect(await reports()).toMatchObject([{ tlsPort }])
})

test('state: the reports of killed replicas are removed after a minute by another replica', async () => {
  const [running] = await reports()
  const [lost, recent] = [crypto.randomUUID(), crypto.randomUUID()]
  const row = { service: 'smtp-proxy', hostName: 'x', listener: 'off', sessions: 0 } as const
  const age = (seconds: number) => sql<Date>`now() - make_interval(secs => ${seconds})`
  await proxy.db
    .insertInto('mailProxies')
    .values([
      { ...row, id: lost, reportedAt: age(61) },
      { ...row, id: recent, reportedAt: age(1) },
    ])
    .execute()
  await eventually(async () => {
    const ids = (await reports()).map(({ id }) => id)
    expect(new Set(ids)).toEqual(new Set([running?.id, recent]))
  })
})

test('metrics: the expiry of the certificate', async () => {
  const health = await freePort()
  const replica = await proxy.start({ port: health, tlsPort: await freePort() })
  const text = await (await fetch(`http://127.0.0.1:${health}/metrics`)).text()
  const value = /^posthorn_mail_proxy_certificate_expiry_timestamp_seconds\{.*\} (\S+)$/m.exec(text)
  expect(Number(value?.[1])).toBeGreaterThan(Date.now() / 1_000)
  await replica[Symbol.asyncDispose]()
})
