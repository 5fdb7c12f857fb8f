import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { addressKey } from '@posthorn/contracts/address-key'
import { connect, type Db } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'

const database = await testDatabase()
const { db } = database
afterAll(() => database.drop())
const migration = '0027-account-lists.sql'
const folder = join(import.meta.dirname, '../src/migrations')
const apply = async (file: string) =>
  sql.raw(await readFile(join(folder, file), 'utf8')).execute(db)

/**
 * Spellings of blocklist addresses that earlier releases stored: lower case, domain as in the
 * message.
 */
const stored = [
  'ann@mail.example',
  'x@müller.test',
  'x@mu\u0308ller.test',
  'jo\u0308rg@b.example',
  'x@straße.test',
  'x@例え.テスト',
  'x@а.пример',
  'x@ｆｕｌｌ.example',
  'x@😀a😀b.example',
  'eva@zażółć-gęślą-jaźń.pl',
]

// Creates the database schema of the previous release with some blocklist entries, then runs the
// migration.
await sql`drop schema public cascade`.execute(db)
await sql`create schema public`.execute(db)
await sql`grant usage on schema public to public`.execute(db)
const files = (await readdir(folder)).filter((file) => file.endsWith('.sql') && file < migration)
for (const file of files.sort()) await apply(file)
for (const recipient of stored) await insertAsBefore(db, 'news', recipient)
await apply(migration)

const gateway = connect(database.roleUrl('posthorn_api_gateway'), { name: 'test', max: 1 })
afterAll(() => gateway.destroy())

/** Adds an entry to a blocklist as the previous release does. */
async function insertAsBefore(as: Db, listId: string, recipient: string) {
  await sql`insert into list_blocks (list_id, recipient, account, source)
    values (${listId}, ${recipient}, 'mine', 'form')
    on conflict (list_id, recipient) do nothing`.execute(as)
}

async function entries(table: 'account_list_blocks' | 'list_blocks', listId: string) {
  const { rows } = await sql<{ entry: string }>`
    select account || ' ' || recipient as entry from ${sql.table(table)}
    where list_id = ${listId}`.execute(gateway)
  return rows.map(({ entry }) => entry).sort()
}

async function size(listId: string) {
  const { rows } = await sql<{ size: number }>`
    select blocked::int as size from lists where list_id = ${listId}`.execute(gateway)
  return rows[0]?.size ?? 0
}

test('migration of lists: stored addresses, get the key of all spellings', async () => {
  const keys = [...new Set(stored.map(addressKey))]
  expect(keys.length).toBe(stored.length - 1)
  const expected = keys.map((key) => `mine ${key}`).sort()
  expect(await entries('account_list_blocks', 'news')).toEqual(expected)
  expect(await entries('list_blocks', 'news')).toEqual(expected)
  expect(await size('news')).toBe(keys.length)
})

test('list_blocks: changes of the previous release, are copied', async () => {
  await insertAsBefore(gateway, 'old', 'x@müller.test')
  await insertAsBefore(gateway, 'old', 'y@b.example')
  expect(await entries('account_list_blocks', 'old')).toEqual([
    'mine x@xn--mller-kva.test',
    'mine y@b.example',
  ])
  await sql`delete from list_blocks where list_id = 'old' and recipient = 'y@b.example'`.execute(
    gateway,
  )
  expect(await entries('account_list_blocks', 'old')).toEqual(['mine x@xn--mller-kva.test'])
  expect(await size('old')).toBe(1)
})

test('account_list_blocks: previous release, sees a block until the last account removes it', async () => {
  const block = { listId: 'new', recipient: 'a@b.example', source: 'form' } as const
  for (const account of ['mine', 'other'])
    await gateway
      .insertInto('accountListBlocks')
      .values({ ...block, account })
      .execute()
  expect(await entries('list_blocks', 'new')).toEqual(['mine a@b.example'])
  expect(await size('new')).toBe(2)
  const remove = (account: string) =>
    gateway
      .deleteFrom('accountListBlocks')
      .where('listId', '=', 'new')
      .where('account', '=', account)
      .execute()
  await remove('mine')
  expect(await entries('list_blocks', 'new')).toHaveLength(1)
  await remove('other')
  expect(await entries('list_blocks', 'new')).toEqual([])
  expect(await entries('account_list_blocks', 'new')).toEqual([])
  expect(await size('new')).toBe(0)
})
