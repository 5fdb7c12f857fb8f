import { afterAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { admin, mint } from './gateway.ts'
import { downloadPath, exportWorld, register } from './export-world.ts'

const world = await exportWorld()
afterAll(world.stop)
const { db, call, create, complete } = world
const range = { startDate: '2026-01-01', endDate: '2026-02-01' }

const pathOf = (account: string, exportId: string) => `/v1/account/${account}/export/${exportId}`
const update = (exportId: string, changes: object) =>
  db.updateTable('exports').set(changes).where('exportId', '=', exportId).execute()

test('createExport: queued export with defaults, sealed key and dates in UTC', async () => {
  await register(call, 'created')
  const body = { ...range, endDate: '2026-02-01T12:00:00' }
  const { status, body: created } = await call('POST', '/v1/account/created/export', { body })
  expect([status, created]).toEqual([
    200,
    {
      exportId: expect.stringMatching(/^exp_[0-9a-f]{24}$/),
      status: 'queued',
      created: expect.stringMatching(/Z$/),
    },
  ])
  const read = await call('GET', pathOf('created', String(created['exportId'])))
  expect(read.body).toEqual({
    exportId: created['exportId'],
    status: 'queued',
    folders: [],
    startDate: '2026-01-01T00:00:00.000Z',
    endDate: '2026-02-01T12:00:00.000Z',
    isEncrypted: true,
    progress: {
      foldersScanned: 0,
      foldersTotal: 0,
      messagesQueued: 0,
      messagesExported: 0,
      messagesSkipped: 0,
      bytesWritten: 0,
    },
    created: created['created'],
    expiresAt: new Date(Date.parse(String(created['created'])) + 86_400_000).toISOString(),
    truncated: false,
    error: null,
  })
  const row = await db
    .selectFrom('exports')
    .select(['textType', 'maxBytes', 'includeAttachments'])
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ textType: '*', maxBytes: '5242880', includeAttachments: false })
})

test('createExport: options of the request are stored', async () => {
  await register(call, 'options')
  const options = { textType: 'plain', maxBytes: 0, includeAttachments: true } as const
  const exportId = await create('options', { ...options, folders: ['INBOX', '\\Sent'] })
  const row = await db
    .selectFrom('exports')
    .select(['textType', 'maxBytes', 'includeAttachments', 'folders'])
    .where('exportId', '=', exportId)
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ ...options, maxBytes: '0', folders: ['INBOX', '\\Sent'] })
})

test.each([
  [{ startDate: '2026-02-01', endDate: '2026-02-01' }, 'startDate'],
  [{ startDate: '2026-02-02', endDate: '2026-02-01' }, 'startDate'],
  [{ startDate: '2026-02-01' }, 'endDate'],
  [{ ...range, startDate: 'yesterday' }, 'startDate'],
  [{ ...range, textType: 'rtf' }, 'textType'],
  [{ ...range, maxBytes: -1 }, 'maxBytes'],
  [{ ...range, folders: [''] }, 'folders.0'],
  [{ ...range, color: 'red' }, 'color'],
])('createExport: %j, 400 that names %s', async (body, path) => {
  const answer = await call('POST', '/v1/account/created/export', { body })
  expect([answer.status, answer.body.fields?.[0]?.path]).toEqual([400, path])
})

test('createExport: account without a mailbox, 400 UnsupportedOperation', async () => {
  await register(call, 'only-sends', { imap: false })
  const answer = await call('POST', '/v1/account/only-sends/export', { body: range })
  expect(answer.body).toMatchObject({ statusCode: 400, code: 'UnsupportedOperation' })
})

const missing = 'exp_000000000000000000000000'
const operations: [string, string, object | undefined][] = [
  ['POST', '/export', range],
  ['GET', '/exports', undefined],
  ['GET', `/export/${missing}`, undefined],
  ['GET', `/export/${missing}/download`, undefined],
  ['DELETE', `/export/${missing}`, undefined],
]

test.each(operations)('%s %s: unknown account, 404 AccountNotFound', async (method, path, body) => {
  const answer = await call(method, `/v1/account/unknown${path}`, body ? { body } : {})
  expect(answer.body).toMatchObject({
    statusCode: 404,
    code: 'AccountNotFound',
    message: 'Account record was not found for requested ID',
  })
})

test.each(operations.slice(2))('%s %s: unknown export, 404', async (method, path) => {
  const answer = await call(method, `/v1/account/created${path}`)
  expect(answer.body).toMatchObject({ statusCode: 404, code: 'NotFound' })
})

test('listExports: pages of an account, newest first, without expired and deleted exports', async () => {
  await register(call, 'pages')
  await call('POST', '/v1/settings', {
    body: { exportMaxConcurrent: 100, exportMaxGlobalConcurrent: 100 },
  })
  const ids: string[] = []
  for (let n = 0; n < 7; n += 1) {
    const exportId = await create('pages')
    const createdAt = new Date(Date.now() - 60_000 + n * 1000)
    await update(exportId, { status: 'completed', createdAt })
    ids.unshift(exportId)
  }
  const [expired = '', deleted = '', ...shown] = ids
  await update(expired, { expiresAt: new Date(Date.now() - 1) })
  await call('DELETE', pathOf('pages', deleted))
  const pages = await Promise.all(
    [0, 1, 2, 3].map((page) => call('GET', `/v1/account/pages/exports?page=${page}&pageSize=2`)),
  )
  const listed = pages.flatMap(({ body }) => body['exports'] as { exportId: string }[])
  expect(listed.map(({ exportId }) => exportId)).toEqual(shown)
  expect(pages[3]?.body).toEqual({ total: 5, page: 3, pages: 3, exports: [] })
  expect(listed[0]).toEqual({
    exportId: shown[0],
    status: 'completed',
    created: expect.any(String),
    expiresAt: expect.any(String),
  })
  for (const exportId of [expired, deleted])
    expect((await call('GET', pathOf('pages', exportId))).status).toBe(404)
})

test('getExport: progress, phase and estimated end of a running export', async () => {
  await register(call, 'running')
  const exportId = await create('running', { folders: ['INBOX'] })
  const counts = { foldersScanned: 2, foldersTotal: 3, messagesQueued: 70, messagesExported: 40 }
  const estimatedEnd = new Date('2030-01-01')
  const changes = { ...counts, messagesSkipped: 1, bytesWritten: String(2 ** 33), estimatedEnd }
  await update(exportId, { status: 'processing', phase: 'exporting', ...changes })
  const { body } = await call('GET', pathOf('running', exportId))
  expect(body).toMatchObject({
    status: 'processing',
    phase: 'exporting',
    folders: ['INBOX'],
    progress: { ...counts, messagesSkipped: 1, bytesWritten: 2 ** 33 },
    estimatedEnd: '2030-01-01T00:00:00.000Z',
  })
})

test('getExport, listAllExports: cancelled export, has no estimated end and no unavailable server', async () => {
  await register(call, 'stopped')
  const exportId = await create('stopped')
  const [estimatedEnd, unavailableSince] = [new Date('2030-01-01'), new Date('2020-01-01')]
  await update(exportId, { status: 'processing', estimatedEnd, unavailableSince })
  const read = async () => {
    const { body } = await call('GET', '/admin/api/exports?account=stopped')
    const [listed] = body['exports'] as [{ unavailableSince: string | null }]
    const shown = await call('GET', pathOf('stopped', exportId))
    return [shown.body['estimatedEnd'], listed.unavailableSince]
  }
  expect(await read()).toEqual([estimatedEnd.toISOString(), unavailableSince.toISOString()])
  await call('DELETE', pathOf('stopped', exportId))
  expect(await read()).toEqual([undefined, null])
})

test('deleteExport: unfinished export, cancelled; cancelled or completed export, deleted', async () => {
  await register(call, 'ends')
  const queued = await create('ends')
  const running = await create('ends')
  await update(running, { status: 'processing', phase: 'indexing' })
  const completed = await create('ends')
  await complete(completed)
  for (const exportId of [queued, running]) {
    const deleted = await call('DELETE', pathOf('ends', exportId))
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: true }])
    const { body } = await call('GET', pathOf('ends', exportId))
    expect(body['status']).toBe('cancelled')
  }
  for (const exportId of [queued, completed]) {
    expect((await call('DELETE', pathOf('ends', exportId))).status).toBe(200)
    for (const [method, path] of [
      ['GET', pathOf('ends', exportId)],
      ['DELETE', pathOf('ends', exportId)],
      ['GET', downloadPath('ends', exportId)],
    ] as const)
      expect([path, (await call(method, path)).status]).toEqual([path, 404])
  }
})

test('exports: tokens bound to an account and with permissions', async () => {
  for (const account of ['mine', 'theirs']) await register(call, account)
  const exportId = await create('mine')
  const theirs = await create('theirs')
  const bound = await mint(call, { account: 'mine' })
  const groups = (...names: string[]) => ({ permissions: { groups: names } })
  const granted = await mint(call, { account: 'mine', ...groups('export') })
  const refused = await mint(call, { account: 'mine', ...groups('message', 'account') })
  const reading = await mint(call, { permissions: { actions: ['read'], groups: ['export'] } })
  const statuses = async (token: string, account: string, id: string) => {
    const requests = operations.map(([method, path, body]) =>
      call(method, `/v1/account/${account}${path.replace(missing, id)}`, {
        token,
        ...(body && { body }),
      }),
    )
    return (await Promise.all(requests)).map(({ status }) => status)
  }
  for (const token of [bound, granted]) {
    expect(await statuses(token, 'theirs', theirs)).toEqual([403, 403, 403, 403, 403])
    // The export of another account is not found under the own account.
    expect((await statuses(token, 'mine', theirs)).slice(2)).toEqual([404, 404, 404])
    const list = await call('GET', '/v1/account/mine/exports', { token })
    expect(JSON.stringify(list.body)).toContain(exportId)
    expect(JSON.stringify(list.body)).not.toContain(theirs)
  }
  expect(await statuses(refused, 'mine', exportId)).toEqual([403, 403, 403, 403, 403])
  expect(await statuses(reading, 'mine', exportId)).toEqual([403, 200, 200, 404, 403])
  for (const token of [bound, granted, reading])
    expect((await call('GET', '/admin/api/exports', { token })).status).toBe(403)
})

test('getExport: error of a failed connection, hidden from tenants', async () => {
  await register(call, 'fails')
  const exportId = await create('fails')
  const error = 'connect ECONNREFUSED 10.0.0.7:993'
  await update(exportId, { status: 'failed', phase: 'indexing', error, errorCode: 'ECONNREFUSED' })
  const token = await mint(call, { account: 'fails' })
  const read = (as: string) => call('GET', pathOf('fails', exportId), { token: as })
  const failed = { status: 'failed', phase: 'indexing' }
  expect((await read(admin)).body).toMatchObject({ ...failed, error })
  expect((await read(token)).body).toMatchObject({
    ...failed,
    error: 'The mail server cannot be used',
  })
})

test('listAllExports: exports of all accounts for operators, by account and status', async () => {
  await register(call, 'listed')
  const [queued, done] = [await create('listed'), await create('listed')]
  const file = await complete(done)
  const owner = '00000000-0000-4000-8000-000000000001'
  await db.insertInto('workers').values({ id: owner }).execute()
  await sql`update shards set owner = ${owner}::uuid, epoch = epoch + 1 where shard =
    (select shard from accounts where account = 'listed')`.execute(db)
  const list = async (query: string) => (await call('GET', `/admin/api/exports?${query}`)).body
  const listed = await list('account=listed')
  expect(listed).toMatchObject({ total: 2, page: 0, pages: 1, maxStoredBytes: 20 * 1024 ** 3 })
  expect((listed['exports'] as object[]).map((entry) => ({ ...entry }))).toEqual([
    expect.objectContaining({ exportId: done, account: 'listed', worker: owner, errorCode: null }),
    expect.objectContaining({ exportId: queued, startedAt: null, finishedAt: null }),
  ])
  expect(await list('account=listed&status=completed')).toMatchObject({
    total: 1,
    exports: [{ status: 'completed', progress: { bytesWritten: file.length } }],
  })
  expect(Number((await list(''))['total'])).toBeGreaterThan(2)
  expect(Number((await list(''))['storedBytes'])).toBeGreaterThan(file.length)
})

test('deleteAccount: its exports are not shown any more, and their keys are unreachable', async () => {
  await register(call, 'gone')
  const exportId = await create('gone')
  await complete(exportId)
  expect((await call('DELETE', '/v1/account/gone')).status).toBe(200)
  await register(call, 'gone')
  expect((await call('GET', '/v1/account/gone/exports')).body['total']).toBe(0)
  expect((await call('GET', downloadPath('gone', exportId))).status).toBe(404)
  const row = await db
    .selectFrom('exports')
    .select('account')
    .where('exportId', '=', exportId)
    .executeTakeFirstOrThrow()
  expect(row.account).toBeNull()
})

test('exports: a dump of the tables contains no key and no byte of the file', async () => {
  await register(call, 'dumped')
  const exportId = await create('dumped')
  const text = Buffer.from('this line of the export is secret')
  const file = await complete(exportId, [text])
  const { rows } = await sql<{ dump: string }>`
    select e::text || (select string_agg(c::text, '') from export_chunks c where c.export_id = e.export_id) as dump
    from exports e where export_id = ${exportId}`.execute(db)
  const dump = rows[0]?.dump ?? ''
  expect(dump).toContain(exportId)
  const key = await world.unsealKey(exportId)
  for (const encoding of ['base64', 'hex'] as const)
    expect(dump).not.toContain(key.toString(encoding))
  for (const bytes of [text, file.subarray(0, 12)])
    expect(dump).not.toContain(bytes.toString('hex'))
})
