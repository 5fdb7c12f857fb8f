import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { testServers } from './gateway.ts'

const servers = await testServers()
const { db } = servers
const folder = await mkdtemp(join(tmpdir(), 'posthorn-first-run-'))
const file = join(folder, 'token')
afterAll(async () => {
  await servers.stop()
  await rm(folder, { recursive: true })
})
const firstTime = { SVC_PREPARED_TOKEN: '', SVC_FIRST_TOKEN_FILE: file }

const secret = async () =>
  (await db.selectFrom('sealedSettings').select('sealed').execute()).map(({ sealed }) => sealed)
const settings = async () =>
  Object.fromEntries(
    (await db.selectFrom('settings').select(['key', 'value']).execute()).map(({ key, value }) => [
      key,
      value,
    ]),
  )
const descriptions = async () =>
  (await db.selectFrom('tokens').select('description').orderBy('createdAt').execute()).map(
    ({ description }) => description,
  )

test('firstRun: two concurrent replicas create one token, one service secret and one set of defaults', async () => {
  const [left, right] = await Promise.all([servers.start(firstTime), servers.start(firstTime)])
  const token = (await readFile(file, 'utf8')).trim()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await descriptions()).toEqual(['First token'])
  expect(await secret()).toHaveLength(2) // secrets that sign webhooks and links
  expect(await settings()).toEqual({ notifyText: true, notifyTextSize: 2_097_152 })
  expect((await left.call('GET', '/v1/accounts', { token })).status).toBe(200)
  expect((await right.call('GET', '/v1/accounts', { token })).status).toBe(200)
})

test('firstRun: a later start applies SVC_SETTINGS and SVC_PREPARED_TOKEN, creates nothing else', async () => {
  const before = await secret()
  const { call } = await servers.start({ ...firstTime, SVC_FIRST_TOKEN_FILE: '/nowhere/token' })
  const token = (await readFile(file, 'utf8')).trim()
  await call('POST', '/v1/settings', { token, body: { notifyText: null } })
  const configured = JSON.stringify({ webhooksEnabled: true, serviceUrl: 'https://a.example/path' })
  const prepared = 'prepared token of the operator!!'.replaceAll(' ', '-')
  const later = await servers.start({ SVC_SETTINGS: configured, SVC_PREPARED_TOKEN: prepared })
  await servers.start({ SVC_SETTINGS: configured, SVC_PREPARED_TOKEN: prepared })
  expect(await settings()).toEqual({
    notifyTextSize: 2_097_152,
    webhooksEnabled: true,
    serviceUrl: 'https://a.example',
  })
  expect(await secret()).toEqual(before)
  expect(await descriptions()).toEqual(['First token', 'Prepared token'])
  expect((await later.call('POST', '/v1/tokens', { token: prepared, body: {} })).status).toBe(200)
})
