import { afterAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { admin, mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call, url } = await servers.start()
for (const account of ['on', 'off', 'other'])
  await call('POST', '/v1/account', { body: { ...registration(account), logs: account !== 'off' } })

async function read(account: string, token = admin) {
  const response = await fetch(`${url}/v1/logs/${account}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}
const write = (account: string, count: number) =>
  sql`
    insert into account_logs (account, line)
    select ${account}, 'line ' || n || ' ü' from generate_series(1, ${count}::integer) n
  `.execute(db)

test('getLogs: streams all lines of the account as text, oldest first', async () => {
  expect(await read('on')).toEqual({ status: 200, type: 'text/plain; charset=utf-8', text: '' })
  await write('other', 3)
  await write('on', 2_500)
  await write('other', 3)
  const { status, text } = await read('on')
  expect(status).toBe(200)
  expect(text).toBe(Array.from({ length: 2_500 }, (_, n) => `line ${n + 1} ü\n`).join(''))
})

test('getLogs: a log that fills its last page ends there', async () => {
  await db.deleteFrom('accountLogs').execute()
  await write('on', 1_000)
  expect((await read('on')).text.split('\n')).toHaveLength(1_001)
})

test('getLogs: empty without a log, 404 without an account', async () => {
  await write('off', 1)
  expect(await read('off')).toMatchObject({ status: 200, text: '' })
  expect(await read('missing')).toMatchObject({ status: 404 })
})

test('logs: disabling the log deletes it', async () => {
  await call('POST', '/v1/account', { body: { account: 'on', name: 'on', logs: true } })
  expect((await read('on')).text).not.toBe('')
  await call('POST', '/v1/account', { body: { account: 'on', name: 'on', logs: false } })
  await call('POST', '/v1/account', { body: { account: 'on', name: 'on', logs: true } })
  expect((await read('on')).text).toBe('')
})

test('getLogs: a bound token reads its account only; a token without the group is rejected', async () => {
  const bound = await mint(call, { account: 'other', permissions: { groups: ['logs'] } })
  expect(await read('other', bound)).toMatchObject({ status: 200 })
  expect(await read('on', bound)).toMatchObject({ status: 403 })
  const messages = await mint(call, { permissions: { groups: ['message'] } })
  expect(await read('other', messages)).toMatchObject({ status: 403 })
})
