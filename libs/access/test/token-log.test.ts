import { afterAll, expect, test } from '@jest/globals'
import { startTokenLog, type TokenLogEntry, type TokenLogOptions } from '@posthorn/access'
import { connect } from '@posthorn/db'
import { eventually, testDatabase } from '@posthorn/testkit'

const { db, drop, roleUrl } = await testDatabase()
afterAll(drop)

const settings = { get: async () => ({ tokenAuditLog: true }), invalidate: () => undefined }
const note = (token: string, path = '/v1/accounts'): TokenLogEntry => ({
  token,
  path,
  ip: '192.0.2.1',
  method: 'GET',
  action: 'read',
  group: 'account',
  account: null,
  denied: null,
})
const paths = async (token: string) => {
  const rows = await db
    .selectFrom('tokenLog')
    .select('path')
    .where('token', '=', token)
    .orderBy('id')
    .execute()
  return rows.map(({ path }) => path)
}
const open = (options: TokenLogOptions = {}) =>
  startTokenLog(db, settings, { everyMs: 10, ...options })

test('startTokenLog: beyond maxWaiting, drops entries and reports their number', async () => {
  const lost: number[] = []
  const log = open({ everyMs: 60_000, maxWaiting: 3, onLost: (entries) => lost.push(entries) })
  for (const n of [1, 2, 3, 4, 5]) log.record(() => note('bounded', `/${n}`))
  await log[Symbol.asyncDispose]()
  expect(await paths('bounded')).toEqual(['/1', '/2', '/3'])
  expect(lost).toEqual([2])
})

test('startTokenLog: entries of a failed write are written later', async () => {
  const url = roleUrl('posthorn_smtp_proxy')
  const role = connect(url, { name: 'test', max: 1, timeoutMs: 3_000, onError: () => undefined })
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const log = startTokenLog(role, settings, { everyMs: 10, onError })
  await db.schema.alterTable('tokenLog').renameTo('tokenLogAway').execute()
  log.record(() => note('patient'))
  await eventually(() => expect(errors.length).toBeGreaterThan(1))
  await db.schema.alterTable('tokenLogAway').renameTo('tokenLog').execute()
  await eventually(async () => expect(await paths('patient')).toEqual(['/v1/accounts']))
  await log[Symbol.asyncDispose]()
  await role.destroy()
})

test('startTokenLog: truncates long texts and removes U+0000', async () => {
  const log = open()
  log.record(() => note('odd', `/\0${'x'.repeat(100_000)}\ud800`))
  await log[Symbol.asyncDispose]()
  expect((await paths('odd'))[0]).toHaveLength(1_024)
})

test('startTokenLog: with the setting off, does not call describe', async () => {
  const quiet = { ...settings, get: async () => ({}) }
  const log = startTokenLog(db, quiet, { everyMs: 10 })
  log.record(() => {
    throw new Error('was called')
  })
  log.record(() => note('quiet'))
  await log[Symbol.asyncDispose]()
  expect(await paths('quiet')).toEqual([])
})
