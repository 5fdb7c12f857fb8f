import { afterAll, expect, test } from '@jest/globals'
import { follow } from './event-stream.ts'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call, url } = await servers.start()

const linesOf = async (account: string, token: string) => {
  const response = await fetch(`${url}/v1/logs/${account}?access_token=${token}`)
  return (await response.text()).split('\n').filter((line) => line !== '')
}
const membersOf = async (account: string) =>
  (
    await db
      .selectFrom('accounts')
      .select('tenantSet')
      .where('account', '=', account)
      .executeTakeFirstOrThrow()
  ).tenantSet

test('getLogs: a tenant reads the lines after the login only', async () => {
  await call('POST', '/v1/account', { body: { ...registration('logged'), logs: true } })
  const lines = ['S: 220 internal ftp', '-- wrong version number', 'S: A1 OK', 'S: * LIST']
  for (const [at, line] of lines.entries())
    await db
      .insertInto('accountLogs')
      .values({ account: 'logged', line, afterLogin: at > 1 })
      .execute()
  const bound = await mint(call, { account: 'logged' })
  const limited = await mint(call, { permissions: { groups: ['logs'] } })
  const operators = await mint(call, {})
  expect(await linesOf('logged', operators)).toEqual(lines)
  for (const token of [bound, limited])
    expect(await linesOf('logged', token)).toEqual(lines.slice(2))
})

test('followChanges: a token with a permissions record does not read why a connection failed', async () => {
  const permissions = { actions: ['read'], groups: ['events'] }
  const streams = [
    await follow(url, { token: await mint(call, { permissions }) }),
    await follow(url),
  ]
  const error = { response: 'x ECONNREFUSED', serverResponseCode: 'ECONNREFUSED' }
  await db
    .insertInto('accountChanges')
    .values({
      account: 'a',
      type: 'state',
      key: 'connectError',
      payload: JSON.stringify({ error }),
    })
    .execute()
  const seen: unknown[] = []
  for (const stream of streams) {
    await stream.expect(1)
    seen.push(
      (stream.frames[0]?.data as { payload?: { error: object } } | undefined)?.payload?.error,
    )
    await stream.stop()
  }
  const hidden = { response: 'The mail server cannot be used', serverResponseCode: 'ECONNECTION' }
  expect(seen).toEqual([hidden, error])
})

test('updateAccount: the members that a tenant sets are stored, until an operator sets them', async () => {
  await call('POST', '/v1/account', { body: registration('member') })
  expect(await membersOf('member')).toEqual([])
  const token = await mint(call, { account: 'member' })
  const update = async (body: object, by?: string) => {
    const options = by === undefined ? { body } : { body, token: by }
    expect(await call('PUT', '/v1/account/member', options)).toMatchObject({ status: 200 })
    return (await membersOf('member')).toSorted()
  }
  const auth = { user: 'new@mail.example', pass: 'new' }
  const imap = { host: 'scanned.example', port: 993, secure: true, auth }
  const headers = [{ key: 'X-Mine', value: '1' }]
  expect(await update({ name: 'New', imap: { partial: true, sentMailPath: 'S' } }, token)).toEqual(
    [],
  )
  expect(await update({ imap }, token)).toEqual(['imap'])
  expect(await update({ webhooks: 'https://own.example/' }, token)).toEqual(['imap', 'webhooks'])
  expect(await update({ webhooksCustomHeaders: headers }, token)).toEqual([
    'imap',
    'webhooks',
    'webhooksCustomHeaders',
  ])
  expect(await update({ imap: { ...imap, host: 'imap.mail.example' } })).toEqual([
    'webhooks',
    'webhooksCustomHeaders',
  ])
  expect(await update({ name: 'Newer' })).toEqual(['webhooks', 'webhooksCustomHeaders'])
  const deleted = await call('DELETE', '/v1/account/member')
  expect(deleted.status).toBe(200)
  const { accountTarget } = await db
    .selectFrom('events')
    .select('accountTarget')
    .where('account', '=', 'member')
    .where('event', '=', 'accountDeleted')
    .executeTakeFirstOrThrow()
  expect(accountTarget).toMatchObject({
    url: 'https://own.example/',
    isTenants: true,
    isTenantsUrl: true,
  })
})
