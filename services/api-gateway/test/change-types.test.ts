import { afterAll, expect, test } from '@jest/globals'
import { StateChange } from '@posthorn/contracts/schemas/changes'
import { matches } from '@posthorn/contracts/validate'
import { connect, recordProxyState } from '@posthorn/db'
import { sql } from 'kysely'
import { follow } from './event-stream.ts'
import { testServers } from './gateway.ts'

// Account changes in `GET /v1/changes` other than changes of the account state.

const servers = await testServers()
const { db } = servers
afterAll(servers.stop)
const { url } = await servers.start()

test('GET /v1/changes: sends warnings of a sync and states of the proxies', async () => {
  const stream = await follow(url)
  const warning = { path: 'Broken', message: 'NO' }
  await db
    .insertInto('accountChanges')
    .values({
      account: 'a',
      type: 'syncWarning',
      key: 'mailboxRefused',
      payload: JSON.stringify(warning),
    })
    .execute()
  const imapProxy = connect(servers.database.roleUrl('posthorn_imap_proxy'), { name: 'test' })
  await recordProxyState(imapProxy, 'imapProxyServerState', { state: 'listening' })
  await recordProxyState(imapProxy, 'smtpServerState', { state: 'failed', error: 'in use' })
  await imapProxy.destroy()
  await stream.expect(3)
  expect(stream.frames.map(({ data }) => data)).toEqual([
    {
      account: 'a',
      type: 'syncWarning',
      key: { type: 'mailboxRefused', ...warning },
      payload: null,
    },
    { account: null, type: 'imapProxyServerState', key: 'listening', payload: null },
    {
      account: null,
      type: 'smtpServerState',
      key: 'failed',
      payload: { error: { response: 'in use' } },
    },
  ])
  expect(stream.frames.every(({ data }) => matches(StateChange, data))).toBe(true)
  await stream.stop()
})

test('record_proxy_state: a proxy cannot record changes of accounts', async () => {
  const smtpProxy = connect(servers.database.roleUrl('posthorn_smtp_proxy'), { name: 'test' })
  const count = async () =>
    (await db.selectFrom('accountChanges').select('id').where('type', '=', 'state').execute())
      .length
  const before = await count()
  await sql`select record_proxy_state('state', 'connected', null)`.execute(smtpProxy)
  expect(await count()).toBe(before)
  await expect(
    sql`insert into account_changes (type, key) values ('state', 'x')`.execute(smtpProxy),
  ).rejects.toThrow(/permission denied/)
  await smtpProxy.destroy()
})
