import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { connect } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import { testDatabase } from '@posthorn/testkit'
import { dueRowsSuite } from '@posthorn/testkit/due-rows'
import { sql } from 'kysely'
import { removeIncompleteUploads } from '../src/sessions/incomplete-uploads.ts'
import {
  deleteUploadDraft,
  insertUploadDraft,
  isInShards,
  uploadDrafts,
} from '../src/store/upload-drafts.ts'
import { registerAccount } from './feeds/feed-world.ts'

const database = await testDatabase()
const owner = database.db
const db = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const { account, lease } = await registerAccount(owner, db)
const { signal } = new AbortController()
let discarded: string[] = []
let failure: Error | undefined
beforeEach(async () => {
  discarded = []
  failure = undefined
  await owner.deleteFrom('uploadDrafts').execute()
})

/** Task that removes incomplete drafts of uploads, on a worker that holds these shards. */
function workerOf(shards: number[], hasSession = true) {
  const driver = {
    async discardIncompleteDrafts(messageId: string) {
      discarded.push(messageId)
      if (failure) throw failure
    },
  }
  const find = () => (hasSession ? { driver } : undefined)
  const log = createLogger('test', 'silent')
  const sessions = { find } as never
  const run = removeIncompleteUploads({ db, log, sessions, shards: () => shards })
  return () => run(signal)
}

const worker = workerOf([lease.shard])

async function insert(endsInMs = 60_000): Promise<string> {
  const upload = randomUUID()
  await insertUploadDraft(db, { upload, account, messageId: `<${upload}@x>` }, endsInMs)
  return upload
}

/** Simulates that time passes, by moving the times of all upload records back. */
async function pass(seconds: number): Promise<void> {
  const moved = (column: string) => sql<Date>`${sql.ref(column)} - ${seconds} * interval '1 s'`
  await owner
    .updateTable('uploadDrafts')
    .set({ checkAt: moved('check_at'), createdAt: moved('created_at') })
    .execute()
}

async function count(): Promise<number> {
  return (await owner.selectFrom('uploadDrafts').select('upload').execute()).length
}

dueRowsSuite({
  rows: uploadDrafts,
  db,
  owner,
  where: isInShards([lease.shard]),
  insert: async () => {
    const upload = randomUUID()
    const checkAt = new Date(Date.now() - 1)
    const row = { upload, account, messageId: `<${upload}@x>`, checkAt }
    await owner.insertInto('uploadDrafts').values(row).execute()
    return upload
  },
})

test('an upload in progress: no worker looks for its draft until 15 s after its end', async () => {
  const upload = await insert()
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from check_at - created_at)::float8 as seconds from upload_drafts
  `.execute(owner)
  expect(rows).toEqual([{ seconds: 75 }])
  await Promise.all([worker(), workerOf([lease.shard])()])
  // These 15 s and any delay of the test are shorter than the 75 s until the first check for the
  // draft.
  await pass(15)
  await worker()
  expect(discarded).toEqual([])
  await pass(60)
  await worker()
  expect(discarded).toEqual([`<${upload}@x>`])
})

test('a completed upload leaves no row, and its draft is not looked for', async () => {
  await deleteUploadDraft(db, await insert())
  await pass(3_600)
  await worker()
  expect([discarded, await count()]).toEqual([[], 0])
})

test('an interrupted upload: four checks within 8 min, by one worker each, then no row', async () => {
  await insert()
  await pass(75)
  for (const delay of [60, 120, 240, 0]) {
    const before = discarded.length
    await Promise.all([worker(), workerOf([lease.shard])()])
    expect(discarded).toHaveLength(before + 1)
    await pass(delay)
  }
  expect(await count()).toBe(0)
})

test('uploads of accounts that this worker does not hold are left to others', async () => {
  await insert()
  await pass(75)
  await workerOf([(lease.shard + 1) % 256])()
  expect([discarded, await count()]).toEqual([[], 1])
})

test.each([
  ['fails', () => worker()],
  ['has no session', () => workerOf([lease.shard], false)()],
])('a check that %s is repeated after a minute, for a day', async (reason, run) => {
  failure = reason === 'fails' ? new Error('unavailable') : undefined
  await insert()
  await pass(75)
  await run()
  await run()
  await pass(60)
  await run()
  expect(discarded).toHaveLength(reason === 'fails' ? 2 : 0)
  expect(await count()).toBe(1)
  await pass(86_400)
  await run()
  expect(await count()).toBe(0)
})

test('the rows of a deleted account are deleted', async () => {
  const other = await registerAccount(owner, db)
  await insertUploadDraft(db, { upload: randomUUID(), account: other.account, messageId: 'x' }, 0)
  await owner.deleteFrom('accounts').where('account', '=', other.account).execute()
  expect(await count()).toBe(0)
})
