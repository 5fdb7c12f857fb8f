import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { signIn } from './admin-people.ts'
import { download, downloadPath, exportWorld, randomParts, register } from './export-world.ts'
import { admin, mint, untilBusIsUp } from './gateway.ts'

const world = await exportWorld()
afterAll(world.stop)
const { db, call, gateway } = world
await register(call, 'a')
const settings = { exportMaxConcurrent: 100, exportMaxGlobalConcurrent: 100 }
await call('POST', '/v1/settings', { body: settings })

/** Creates a completed export. */
async function completed(parts = randomParts(4)) {
  const exportId = await world.create('a')
  const file = await world.complete(exportId, parts)
  return { exportId, file, parts, path: downloadPath('a', exportId) }
}
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const shared = await completed()
const { file, path } = shared
const etag = `"${shared.exportId}-${file.length}"`

test('downloadExport: whole file with its headers', async () => {
  const response = await download(gateway, path)
  expect([response.status, Object.fromEntries(response.headers)]).toEqual([
    200,
    expect.objectContaining({
      'content-type': 'application/gzip',
      'content-length': String(file.length),
      'content-disposition': `attachment; filename="${shared.exportId}.ndjson.gz"`,
      'accept-ranges': 'bytes',
      etag,
      'cache-control': 'no-store',
    }),
  ])
  const body = await bytesOf(response)
  expect(body.equals(file)).toBe(true)
  expect(gunzipSync(body).equals(Buffer.concat(shared.parts))).toBe(true)
})

test('downloadExport: HEAD, the headers only, also with a range', async () => {
  for (const range of [{}, { range: 'bytes=0-9' }]) {
    const head = await download(gateway, path, { method: 'HEAD', headers: range })
    expect(head.status).toBe(200)
    expect([head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      String(file.length),
      etag,
    ])
    expect(await head.text()).toBe('')
  }
})

test('downloadExport: file of random ranges, equals the file and passes gzip -t', async () => {
  const pieces: Buffer[] = []
  for (let at = 0; at < file.length;) {
    const end = Math.min(file.length, at + randomInt(1, 40_000)) - 1
    const headers = { range: `bytes=${at}-${end}`, 'if-range': etag }
    const response = await download(gateway, path, { headers })
    expect([response.status, response.headers.get('content-range')]).toEqual([
      206,
      `bytes ${at}-${end}/${file.length}`,
    ])
    pieces.push(await bytesOf(response))
    at = end + 1
  }
  const assembled = Buffer.concat(pieces)
  expect(assembled.equals(file)).toBe(true)
  expect(spawnSync('gzip', ['-t'], { input: assembled }).status).toBe(0)
})

test('downloadExport: range to the end and of the last bytes', async () => {
  for (const [range, from] of [
    [`bytes=${file.length - 10}-`, -10],
    ['bytes=-3', -3],
    [`bytes=100000-${file.length * 2}`, 100_000],
  ] as const) {
    const response = await download(gateway, path, { headers: { range } })
    expect(response.status).toBe(206)
    expect((await bytesOf(response)).equals(file.subarray(from))).toBe(true)
  }
})

test.each<[string, Record<string, string>]>([
  ['several ranges', { range: 'bytes=0-1,5-6' }],
  ['a reversed range', { range: 'bytes=9-1' }],
  ['another unit', { range: 'lines=0-1' }],
  ['If-Range of another file', { range: 'bytes=0-1', 'if-range': '"another"' }],
  ['a weak If-Range', { range: 'bytes=0-1', 'if-range': `W/${etag}` }],
  ['a date as If-Range', { range: 'bytes=0-1', 'if-range': 'Thu, 01 Jan 2026 00:00:00 GMT' }],
  ['a range after the end of another file', { range: 'bytes=99999999-', 'if-range': '"another"' }],
])('downloadExport: %s, the whole file', async (_, headers) => {
  const response = await download(gateway, path, { headers })
  expect(response.status).toBe(200)
  expect((await bytesOf(response)).equals(file)).toBe(true)
})

test.each<[string, string]>([
  ['range after the end', `bytes=${file.length}-`],
  ['last 0 bytes', 'bytes=-0'],
])('downloadExport: %s, 416', async (_, range) => {
  const response = await download(gateway, path, { headers: { range } })
  expect([response.status, response.headers.get('content-range')]).toEqual([
    416,
    `bytes */${file.length}`,
  ])
  expect(await response.text()).toBe('')
})

test('downloadExport: unfinished, cancelled, failed or expired export, 404', async () => {
  const exportId = await world.create('a')
  const unfinished = downloadPath('a', exportId)
  for (const status of ['queued', 'processing', 'failed', 'cancelled'] as const) {
    await db.updateTable('exports').set({ status }).where('exportId', '=', exportId).execute()
    expect((await call('GET', unfinished)).body).toMatchObject({
      statusCode: 404,
      code: 'NotFound',
    })
    expect((await download(gateway, unfinished, { method: 'HEAD' })).status).toBe(404)
  }
  const expired = await completed()
  await sql`update exports set expires_at = now() where export_id = ${expired.exportId}`.execute(db)
  expect((await call('GET', expired.path)).status).toBe(404)
})

/** Waits for the end of an HTTP response, whether the response is complete or not. */
function closed(response: IncomingMessage): Promise<unknown> {
  return response.closed
    ? Promise.resolve()
    : new Promise((resolve) => response.once('close', resolve))
}

/**
 * Downloads the file of an export. Returns the bytes that arrive before the connection ends, and
 * whether the response was complete.
 */
async function receive(from: string): Promise<{ bytes: Buffer; isComplete: boolean }> {
  const headers = { authorization: `Bearer ${admin}` }
  const [response] = (await once(get(gateway.url + from, { headers }), 'response')) as [
    IncomingMessage,
  ]
  expect(response.statusCode).toBe(200)
  const received: Buffer[] = []
  response.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => undefined)
  await closed(response)
  return { bytes: Buffer.concat(received), isComplete: response.complete }
}

const damages: [string, (exportId: string) => ReturnType<typeof sql>][] = [
  [
    'changed chunk',
    (
      id,
    ) => sql`update export_chunks set content = set_byte(content, 20000, 255 - get_byte(content, 20000))
      where export_id = ${id} and number = 2`,
  ],
  [
    'swapped chunks',
    (id) => sql`update export_chunks c set content = o.content from export_chunks o
      where c.export_id = ${id} and o.export_id = ${id} and c.number in (1, 2) and o.number = 3 - c.number`,
  ],
  [
    'chunk of another export',
    (id) => sql`update export_chunks c set content = o.content from export_chunks o
      where c.export_id = ${id} and c.number = 1 and o.export_id = ${shared.exportId} and o.number = 1`,
  ],
  ['missing chunk', (id) => sql`delete from export_chunks where export_id = ${id} and number = 2`],
  [
    'cut chunk',
    (id) => sql`update export_chunks set content = substr(content, 1, 1000)
      where export_id = ${id} and number = 1`,
  ],
  [
    'moved chunk',
    (id) => sql`update export_chunks set start = start - 1 where export_id = ${id} and number = 2`,
  ],
  [
    'file without its last chunk',
    (id) => sql`update exports set chunks = 3, bytes_written =
      (select start from export_chunks where export_id = ${id} and number = 3) where export_id = ${id}`,
  ],
  [
    'size of a file without its last chunk',
    (id) => sql`update exports set bytes_written =
      (select start from export_chunks where export_id = ${id} and number = 3) where export_id = ${id}`,
  ],
  [
    'size of a smaller file',
    (id) => sql`update exports set bytes_written = bytes_written - 1 where export_id = ${id}`,
  ],
]

test.each(damages)(
  'downloadExport: %s, cuts the connection without wrong bytes',
  async (_, damage) => {
    const broken = await completed()
    await damage(broken.exportId).execute(db)
    const { bytes, isComplete } = await receive(broken.path)
    expect(isComplete).toBe(false)
    expect(bytes.length).toBeLessThan(broken.file.length)
    expect(bytes.equals(broken.file.subarray(0, bytes.length))).toBe(true)
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics).toMatch(/export_downloads_ended_total\{[^}]*outcome="damaged"[^}]*\} [1-9]/)
  },
)

test('downloadExport: changed first chunk, 500 and no byte of the file', async () => {
  const { exportId, path: broken } = await completed()
  await sql`update export_chunks set content = 'x' where export_id = ${exportId} and number = 0`.execute(
    db,
  )
  const answer = await call('GET', broken)
  expect(answer.body).toEqual({
    statusCode: 500,
    error: 'Internal Server Error',
    message: 'The file of the export is damaged, create the export again',
  })
  expect(answer.headers.get('content-disposition')).toBeNull()
})

test('downloadExport: without auth-bridge, 503; with it again, the file', async () => {
  await world.authBridge.stop()
  const answer = await call('GET', path)
  expect([answer.status, answer.headers.get('etag')]).toEqual([503, null])
  expect((await download(gateway, path, { method: 'HEAD' })).status).toBe(200)
  await world.authBridge.start()
  const response = await eventually(async () => {
    const retried = await download(gateway, path)
    return retried.status === 200 && retried
  })
  expect((await bytesOf(response)).equals(file)).toBe(true)
})

test('downloadExport: key that auth-bridge cannot unseal, 503', async () => {
  const { exportId, path: locked } = await completed()
  await sql`update exports set sealed = (select sealed from exports where export_id = ${shared.exportId})
    where export_id = ${exportId}`.execute(db)
  const answer = await call('GET', locked)
  expect([answer.status, answer.body['message']]).toEqual([
    503,
    'The export cannot be decrypted, retry later or create the export again',
  ])
})

test('downloadExport: export deleted before its first chunk is read, 404 NotFound', async () => {
  const { exportId, path: deleted } = await completed()
  world.authBridge.beforeReply(() => call('DELETE', `/v1/account/a/export/${exportId}`))
  expect((await call('GET', deleted)).body).toMatchObject({ statusCode: 404, code: 'NotFound' })
})

/** Starts a download of an export's file whose client does not read the response. */
async function startUnread(url: string, from: string, token: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${token}` }
  const sent = get(url + from, { headers, agent: false })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  sent.on('error', () => undefined)
  response.on('error', () => undefined)
  return response
}

/**
 * Code of the error that ends the connection of a download; undefined if the connection ends
 * without an error.
 */
async function connectionError({ socket }: IncomingMessage): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
  socket.once('close', () => resolve(undefined))
  return promise
}

/** Reads the remaining bytes of a download. Returns the number of these bytes. */
async function readRest(response: IncomingMessage): Promise<number> {
  let bytes = 0
  response.on('data', (chunk: Buffer) => (bytes += chunk.length))
  await closed(response)
  return bytes
}

/**
 * Parts of an export file that exceeds the buffers of the connection, so that the server waits for
 * the client.
 */
const largeParts = () => randomParts(16, 1024 * 1024)
const large = await completed(largeParts())

test('downloadExport: token revoked during the download, reset within the check interval', async () => {
  const token = await mint(call, { account: 'a', permissions: { groups: ['export'] } })
  const kept = await mint(call, { account: 'a' })
  const revoked = await startUnread(gateway.url, large.path, token)
  const continued = await startUnread(gateway.url, large.path, kept)
  expect((await call('DELETE', `/v1/tokens/${token}`)).status).toBe(200)
  await eventually(async () => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics).toMatch(/export_downloads_ended_total\{[^}]*outcome="revoked"[^}]*\} 1/)
  })
  const ended = connectionError(revoked)
  expect(await readRest(revoked)).toBeLessThan(large.file.length)
  expect(revoked.complete).toBe(false)
  expect(await ended).toBe('ECONNRESET')
  expect(await readRest(continued)).toBe(large.file.length)
})

test('downloadExport: the person ends the right to read mail during the download, reset', async () => {
  const readers = [await signIn(db, { readsMail: true }), await signIn(db, { readsMail: true })]
  const [ended, continued] = await Promise.all(
    readers.map(({ credential }) => startUnread(gateway.url, large.path, credential)),
  )
  if (!ended || !continued) throw new Error('the downloads did not start')
  await db
    .updateTable('adminSessions')
    .set({ mailUntil: null })
    .where('id', '=', readers[0]?.session ?? '')
    .execute()
  await eventually(async () => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics).toMatch(/export_downloads_ended_total\{[^}]*outcome="revoked"[^}]*\} 2/)
  })
  expect(await readRest(ended)).toBeLessThan(large.file.length)
  expect(ended.complete).toBe(false)
  expect(await readRest(continued)).toBe(large.file.length)
})

test.each<[string, (exportId: string) => Promise<unknown>]>([
  ['deleted', (exportId) => call('DELETE', `/v1/account/a/export/${exportId}`)],
  [
    'expired',
    (exportId) =>
      sql`update exports set expires_at = now() where export_id = ${exportId}`.execute(db),
  ],
])(
  'downloadExport: export %s during the download, resets the connection while its chunks are stored',
  async (_, end) => {
    const ended = await completed(largeParts())
    const response = await startUnread(gateway.url, ended.path, admin)
    await end(ended.exportId)
    const error = connectionError(response)
    expect(await readRest(response)).toBeLessThan(ended.file.length)
    expect(response.complete).toBe(false)
    expect(await error).toBe('ECONNRESET')
  },
)

test('downloadExport: more slow downloads than Postgres connections, other requests continue', async () => {
  const small = await world.start({ SVC_DATABASE_POOL_SIZE: '2' })
  await untilBusIsUp(small.url)
  const slow = await Promise.all(
    Array.from({ length: 3 }, () => startUnread(small.url, large.path, admin)),
  )
  expect((await small.call('GET', '/v1/account/a/exports')).status).toBe(200)
  // Without active Postgres queries, all downloads of export files wait for their clients.
  await eventually(async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database()
      and usename = 'posthorn_api_gateway' and state <> 'idle'`.execute(db)
    expect(rows).toEqual([])
  })
  for (const response of slow) expect(await readRest(response)).toBe(large.file.length)
})

test('downloadExport: too many downloads of an account, 503 until one ends', async () => {
  const slow = await Promise.all(
    Array.from({ length: 8 }, () => startUnread(gateway.url, large.path, admin)),
  )
  const answer = await call('GET', path)
  expect([answer.status, answer.body['message']]).toEqual([
    503,
    'Too many concurrent downloads of exports, retry later',
  ])
  for (const response of slow) response.destroy()
  const response = await eventually(async () => {
    const retried = await download(gateway, path)
    return retried.status === 200 && retried
  })
  expect((await bytesOf(response)).equals(file)).toBe(true)
})
