import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { completeExport, eventually, newSealingKeys } from '@posthorn/testkit'
import { registration, startWorld } from '../world.ts'

// Export of an account without a sync-worker, whose chunks the test writes. api-gateway and
// auth-bridge have their own RabbitMQ users, database roles and keys.

const keys = newSealingKeys()
const world = await startWorld({
  names: ['api-gateway', 'auth-bridge', 'webhook-dispatcher'],
  replicas: { 'api-gateway': 2 },
  keys,
})
afterAll(() => world[Symbol.asyncDispose]())
const { client, services, token } = world
const body = { startDate: '2026-01-01T00:00:00.000Z', endDate: '2026-02-01T00:00:00.000Z' }
const params = { account: 'jane' }
const registered = await client.call(operations.createAccount, {
  body: registration('jane', world.mail.freshUser()),
})
expect(registered.status).toBe(200)

/** Creates an export and completes it with random parts. */
async function createFile() {
  const created = await client.call(operations.createExport, { params, body })
  expect(created.status).toBe(200)
  const exportId = String(created.body.exportId)
  const parts = Array.from({ length: 5 }, () => randomBytes(200_000))
  const file = await completeExport({ ...world, ...keys }, { exportId, parts })
  return { exportId, file, parts }
}

const download = (
  exportId: string,
  headers: Record<string, string> = {},
  replica = 'api-gateway',
) =>
  fetch(`${services.urls[replica]}/v1/account/jane/export/${exportId}/download`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

test('exports: a download is continued at another replica, and the event names the file', async () => {
  const { exportId, file, parts } = await createFile()
  const first = await download(exportId, { range: 'bytes=0-299999' })
  const etag = first.headers.get('etag') ?? ''
  const received = await bytesOf(first)
  const rest = await download(
    exportId,
    { range: `bytes=${received.length}-`, 'if-range': etag },
    'api-gateway-2',
  )
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
  expect((await download(exportId)).status).toBe(503)
  const created = await client.call(operations.createExport, { params, body })
  expect(created.status).toBe(200)
  await services.start('auth-bridge')
  const response = await eventually(async () => {
    const retried = await download(exportId)
    return retried.status === 200 && retried
  })
  expect((await bytesOf(response)).equals(file)).toBe(true)
})
