import { afterAll, beforeEach, expect, test } from '@jest/globals'
import type { MailProxies } from '@posthorn/db'
import { type Insertable, sql } from 'kysely'
import { mint, testServers } from './gateway.ts'

// Tests of the state of the mail proxies at api-gateway. The test inserts the reports of replicas.

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()

beforeEach(() => db.deleteFrom('mailProxies').execute())

const ids = Array.from({ length: 4 }, () => crypto.randomUUID()).toSorted()

function report(n: number, changes: Partial<Insertable<MailProxies>> = {}) {
  const row: Insertable<MailProxies> = {
    id: ids[n] ?? '',
    service: 'imap-proxy',
    hostName: 'a',
    listener: 'off',
    port: null,
    tls: null,
    tlsPort: null,
    error: null,
    certificateNames: null,
    certificateExpiresAt: null,
    sessions: 0,
    ...changes,
  }
  return db.insertInto('mailProxies').values(row).execute()
}
const list = async () => {
  const { status, body } = await call('GET', '/admin/api/mailProxies')
  expect(status).toBe(200)
  return body['mailProxies'] as { id: string }[]
}
const findings = async () => {
  const { body } = await call('GET', '/admin/api/findings')
  const all = body['findings'] as { id: string; level: string }[]
  return all.flatMap(({ id, level }) => (id.startsWith('mailProxy') ? [`${level} ${id}`] : []))
}
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

test('listMailProxies: lists the reports by service, host name and id, without empty members', async () => {
  const expiresAt = inDays(90)
  await report(0, { service: 'smtp-proxy', listener: 'failed', error: 'EADDRINUSE' })
  await report(1, { hostName: 'b' })
  await report(2, {
    hostName: 'b',
    listener: 'listening',
    port: 143,
    tls: false,
    tlsPort: 993,
    certificateNames: ['mail.example.com'],
    certificateExpiresAt: expiresAt,
    sessions: 7,
  })
  await report(3)
  const common = { hostName: 'b', service: 'imap-proxy', reportedAt: expect.any(String) }
  expect(await list()).toEqual([
    { ...common, id: ids[3], hostName: 'a', listener: 'off', sessions: 0 },
    { ...common, id: ids[1], listener: 'off', sessions: 0 },
    {
      ...common,
      id: ids[2],
      listener: 'listening',
      port: 143,
      tls: false,
      tlsPort: 993,
      certificate: { names: ['mail.example.com'], expiresAt: expiresAt.toISOString() },
      sessions: 7,
    },
    {
      ...common,
      id: ids[0],
      service: 'smtp-proxy',
      hostName: 'a',
      listener: 'failed',
      error: 'EADDRINUSE',
      sessions: 0,
    },
  ])
})

test('listMailProxies: a replica without a report for a minute is not listed', async () => {
  await report(0)
  await report(1)
  const age = (n: number, seconds: number) =>
    db
      .updateTable('mailProxies')
      .set({ reportedAt: sql<Date>`now() - make_interval(secs => ${seconds})` })
      .where('id', '=', ids[n] ?? '')
      .execute()
  await age(0, 61)
  await age(1, 30)
  expect((await list()).map(({ id }) => id)).toEqual([ids[1]])
})

test('listMailProxies: needs a token with the scope *', async () => {
  const token = await mint(call, { scopes: ['api'], description: 'x' })
  expect((await call('GET', '/admin/api/mailProxies', { token })).status).toBe(403)
})

test('listFindings: reports certificates, failed listeners and missing mail proxies', async () => {
  await call('POST', '/v1/settings', { body: { smtpServerEnabled: true } })
  expect(await findings()).toEqual(['warning mailProxyMissing:smtp-proxy'])
  const certificate = (days: number) => ({
    certificateNames: ['mail.example.com'],
    certificateExpiresAt: inDays(days),
  })
  await report(0, { service: 'smtp-proxy', listener: 'listening', ...certificate(15) })
  expect(await findings()).toEqual([])
  await report(1, { listener: 'failed', error: 'EADDRINUSE', ...certificate(13) })
  await report(2, { service: 'smtp-proxy', listener: 'listening', ...certificate(-1) })
  expect(await findings()).toEqual([
    'error mailProxyNotListening:imap-proxy',
    'error mailProxyCertificate:smtp-proxy',
    'warning mailProxyCertificate:imap-proxy',
  ])
  await call('POST', '/v1/settings', { body: { smtpServerEnabled: false } })
})
