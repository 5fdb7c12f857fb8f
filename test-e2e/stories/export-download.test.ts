import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { Posthorn } from '@posthorn/client'
import { completeExport, eventually, newSealingKeys } from '@posthorn/testkit'
import { startWorld } from '../world.ts'

// Export of an account without a sync-worker, whose chunks the test writes. api-gateway and
// auth-bridge have their own RabbitMQ users, database roles and keys.

const keys = newSealingKeys()
const world = await startWorld({
  names: ['api-gateway', 'auth-bridge', 'webhook-dispatcher'],
  replicas: { 'api-gateway': 2 },
  keys,
})
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn, services, token } = world
/** API client of the second replica of api-gateway. */
const second = new Posthorn({ url: services.urls['api-gateway-2'], token, retryForMs: 0 })
const body = { startDate: '2026-01-01T00:00:00.000Z', endDate: '2026-02-01T00:00:00.000Z' }
const account = 'jane'
await world.register(account, world.mail.freshUser())

/** Creates an export of messages, and completes the export with a file of random bytes. */
async function createFile() {
  const { exportId } = await posthorn.createExport({ account, body })
  const parts = Array.from({ length: 5 }, () => randomBytes(200_000))
  const file = await completeExport({ ...world, ...keys }, { exportId, parts })
  return { exportId, file, parts }
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('exports: a download is continued at another replica, and the event names the file', async () => {
  const { exportId, file, parts } = await createFile()
  const first = await posthorn.downloadExport({ account, exportId, range: 'bytes=0-299999' })
  const received = await bytesOf(first)
  const rest = await second.downloadExport({
    account,
    exportId,
    range: `bytes=${received.length}-`,
    ifRange: first.headers.get('etag') ?? '',
  })
  expect([first.status, rest.status]).toEqual([206, 206])
  const whole = Buffer.concat([received, await bytesOf(rest)])
  expect(whole.equals(file)).toBe(true)
  expect(gunzipSync(whole).equals(Buffer.concat(parts))).toBe(true)
  const { data } = await world.webhook(
    (hook) => hook.event === 'exportCompleted' && hook.data.exportId === exportId,
  )
  expect(data).toMatchObject({ folders: [], ...body, bytesWritten: file.length })
  expect(Date.parse(data.expiresAt)).toBeGreaterThan(Date.now())
})

test('exports: while auth-bridge is stopped, downloads are 503 and exports can be created', async () => {
  const { exportId, file } = await createFile()
  await services.stop('auth-bridge')
  const download = () => posthorn.downloadExport({ account, exportId })
  await expect(download()).rejects.toMatchObject({ status: 503 })
  await posthorn.createExport({ account, body })
  await services.start('auth-bridge')
  const response = await eventually(download)
  expect((await bytesOf(response)).equals(file)).toBe(true)
})
