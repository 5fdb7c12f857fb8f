import { afterAll, expect, test } from '@jest/globals'
import { textArray } from '@posthorn/db'
import { isSwitchedOff, testDatabase, testPgbouncer } from '@posthorn/testkit'
import { sql } from 'kysely'
import { connect } from '../src/connect.ts'

const database = await testDatabase()
const pgbouncer = isSwitchedOff('TEST_PGBOUNCER') ? undefined : await testPgbouncer()
afterAll(async () => {
  await database.drop()
  await pgbouncer?.drop()
})

const urls = [database.ownerUrl, ...(pgbouncer ? [pgbouncer.through(database.ownerUrl)] : [])]
const long = JSON.stringify({ text: '"\\\n'.repeat(400_000) })

test.each([
  { what: 'no element', texts: [] },
  { what: 'an empty text', texts: [''] },
  { what: 'nulls only', texts: [null, null] },
  { what: 'nulls between texts', texts: [null, 'a', null, 'b'] },
  { what: 'quotes, backslashes and braces', texts: ['{"a\\":"b"}', '\\', '"', ',', 'NULL'] },
  { what: 'characters of several bytes', texts: ['zażółć', '例え', '😀', '\ud800'] },
  { what: 'a text of 3 MB', texts: [long, 'end'] },
])('textArray: Postgres reads $what', async ({ texts }) => {
  const stored = texts.map((text) => text?.replaceAll('\ud800', '\ufffd') ?? null)
  for (const url of urls) {
    await using db = connect(url, { name: 'test', max: 1, timeoutMs: 30_000 })
    // The second execution runs the prepared SQL statement.
    for (const _ of [1, 2]) {
      const { rows } = await sql<{ read: (string | null)[] }>`
        select array(select t from unnest(${textArray(texts)}::text[]) with ordinality as u (t, n)
          order by n) as read
      `.execute(db)
      expect(rows).toEqual([{ read: stored }])
    }
  }
})
