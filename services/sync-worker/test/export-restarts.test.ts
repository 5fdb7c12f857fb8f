import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { exportCompleted } from '@posthorn/contracts/events/exports'
import { eventually, faultSize, TcpRelay, type TestUser } from '@posthorn/testkit'
import { sql } from 'kysely'
import { createExport, exportEnd, getExport, readFile, readLines } from './export-scene.ts'
import { ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

// Exports that are interrupted at any point have the same lines as exports that are not.

let world: World
let user: TestUser
let account: string
const count = faultSize({ small: 900, full: 4_000 })
const kills = faultSize({ small: 3, full: 20 })
/** Number of chunks of a file after which shards are no longer released. */
const interrupted = faultSize({ small: 4, full: 8 })
beforeAll(async () => {
  world = await testWorld()
  user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  for (const path of ['A', 'B']) await client.run(`CREATE ${path}`)
  for (let number = 0; number < count; number++) {
    const path = ['INBOX', 'A', 'B'][number % 3] ?? ''
    // Four consecutive messages have the same date, so that the export must order them by id.
    const date = new Date(Date.UTC(2024, 0, 1) + Math.floor(number / 4) * 1_000)
    await client.append(path, source(number), { date })
  }
  account = await world.register(user)
}, 300_000)
afterAll(() => world.close())

/**
 * Source of a message whose text cannot be compressed. Every 300th message has an attachment that
 * takes several chunks.
 */
function source(number: number): string {
  const text = randomBytes(3_000).toString('base64')
  if (number % 300 !== 299) return mail({ subject: `${number}`, body: text })
  return mail({
    subject: `${number}`,
    headers: ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=b'],
    body: [
      '--b',
      'Content-Type: text/plain',
      '',
      text,
      '--b',
      'Content-Type: application/octet-stream; name=large.bin',
      'Content-Transfer-Encoding: base64',
      '',
      randomBytes(3 * 1024 * 1024)
        .toString('base64')
        .replace(/.{76}/g, '$&\r\n'),
      '--b--',
    ].join('\r\n'),
  })
}

let undisturbed: Promise<string[]> | undefined

/** Lines of an export without interruption. */
function undisturbedLines(): Promise<string[]> {
  undisturbed ??= (async () => {
    const worker = await world.startWorker()
    await world.connected(account)
    const exportId = await createExport(world.db, account, { includeAttachments: true })
    expect(await exportEnd(world.db, exportId)).toMatchObject({ messagesExported: count })
    await world.stopWorker(worker)
    return linesOf(exportId)
  })()
  return undisturbed
}

async function linesOf(exportId: string): Promise<string[]> {
  return (await readLines(world.db, exportId)).map((line) => JSON.stringify(line))
}

/** Waits until an export has a further chunk, or has ended. Returns the number of chunks. */
function nextChunk(exportId: string, before: number): Promise<number> {
  return eventually(
    async () => {
      const { chunks, status } = await getExport(world.db, exportId)
      if (chunks <= before && (status === 'queued' || status === 'processing'))
        throw new Error(`${chunks} chunks`)
      return chunks
    },
    { timeoutMs: 60_000 },
  )
}

async function expectUndisturbed(exportId: string): Promise<void> {
  const row = await exportEnd(world.db, exportId)
  expect(row).toMatchObject({ status: 'completed', messagesExported: count, messagesSkipped: 0 })
  expect(await linesOf(exportId)).toEqual(await undisturbedLines())
  const events = await world.events(account, exportCompleted.name)
  expect(events.filter(({ data }) => data['exportId'] === exportId)).toHaveLength(1)
}

test(`export: worker killed ${kills} times, has the same lines`, async () => {
  await undisturbedLines()
  const exportId = await createExport(world.db, account, { includeAttachments: true })
  let killed = 0
  for (let chunks = 0; killed < kills; killed++) {
    const child = world.spawnWorker()
    const exited = once(child, 'exit')
    chunks = await nextChunk(exportId, chunks)
    child.kill('SIGKILL')
    await exited
    // Other workers claim the shards of a worker without a heartbeat.
    await sql`delete from workers`.execute(world.db)
    const { status } = await getExport(world.db, exportId)
    if (status !== 'processing') break
  }
  expect(killed).toBe(kills)
  const worker = await world.startWorker()
  await expectUndisturbed(exportId)
  await world.stopWorker(worker)
}, 600_000)

test('export: shards released again and again, has the same lines', async () => {
  await undisturbedLines()
  const exportId = await createExport(world.db, account, { includeAttachments: true })
  for (let chunks = 0; chunks < interrupted;) {
    const worker = await world.startWorker()
    chunks = await nextChunk(exportId, chunks)
    await world.stopWorker(worker)
  }
  const worker = await world.startWorker()
  await expectUndisturbed(exportId)
  await world.stopWorker(worker)
}, 300_000)

test('export: cancelled while it runs, stops without an event', async () => {
  const worker = await world.startWorker()
  await world.connected(account)
  const exportId = await createExport(world.db, account, { includeAttachments: true })
  await nextChunk(exportId, 0)
  await world.db
    .updateTable('exports')
    .set({ status: 'cancelled' })
    .where('exportId', '=', exportId)
    .execute()
  const { chunks } = await getExport(world.db, exportId)
  const next = await createExport(world.db, account, { folders: ['A'] })
  await exportEnd(world.db, next)
  expect(await getExport(world.db, exportId)).toMatchObject({ status: 'cancelled', chunks })
  const events = await world.events(account, exportCompleted.name)
  expect(events.filter(({ data }) => data['exportId'] === exportId)).toEqual([])
  await world.stopWorker(worker)
}, 120_000)

test('export: cancelled while the mail server does not respond, frees its turn and storage', async () => {
  const worker = await world.startWorker()
  // Starts as many exports as a worker runs concurrently.
  await using first = await silentExport()
  await using second = await silentExport()
  const silent = [first, second]
  const ids = await Promise.all(silent.map((each) => each.start()))
  await Promise.all(ids.map((id) => nextChunk(id, 0)))
  for (const { relay } of silent) relay.silence(true)
  await eventually(() => silent.every(({ relay }) => relay.dropped > 0))
  await world.connected(account)
  const next = await createExport(world.db, account, { folders: ['A'] })
  const cancelled = await world.db
    .updateTable('exports')
    .set({ status: 'cancelled' })
    .where('exportId', 'in', ids)
    .where('status', '=', 'processing')
    .returning('exportId')
    .execute()
  expect(cancelled).toHaveLength(2)
  // An export stops using a mail server connection without responses only after 100 s.
  const checkFreed = async () => {
    expect(await countChunks(ids)).toBe(0)
    expect(await getExport(world.db, next)).toMatchObject({ status: 'completed' })
  }
  await eventually(checkFreed, { timeoutMs: 60_000 })
  await world.stopWorker(worker)
}, 300_000)

/**
 * Account of the exported mailbox behind a TCP relay, with an export. Disposal deletes the account.
 */
async function silentExport() {
  const relay = await TcpRelay.to({ hostname: user.host, port: `${user.imapPort}` })
  const behind = await world.register(user, { port: relay.port })
  await world.connected(behind)
  return {
    relay,
    start: () => createExport(world.db, behind, { includeAttachments: true }),
    async [Symbol.asyncDispose]() {
      await world.db.deleteFrom('accounts').where('account', '=', behind).execute()
      await relay[Symbol.asyncDispose]()
    },
  }
}

async function countChunks(exportIds: readonly string[]): Promise<number> {
  const { count: chunks } = await world.db
    .selectFrom('exportChunks')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('exportId', 'in', exportIds)
    .executeTakeFirstOrThrow()
  return Number(chunks)
}

test('export: file is one gzip file of several members', async () => {
  const worker = await world.startWorker()
  await world.connected(account)
  const exportId = await createExport(world.db, account, { folders: ['A', 'B'] })
  const { chunks } = await exportEnd(world.db, exportId)
  expect(chunks).toBeGreaterThan(1)
  const { status } = spawnSync('gzip', ['-t'], { input: await readFile(world.db, exportId) })
  expect(status).toBe(0)
  await world.stopWorker(worker)
}, 120_000)
