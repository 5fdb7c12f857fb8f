import { afterAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { testDatabase } from '@posthorn/testkit'
import { migrate } from '../src/migrate/migrate.ts'

// Tests of a release that is started again on the newer schema, after an upgrade was rolled back.

const database = await testDatabase()
afterAll(() => database.drop())
const { db, ownerUrl } = database

const insertMigration = (name: string) =>
  sql`insert into kysely_migration (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(
    db,
  )

test('migrate: schema of a newer release, changes nothing and succeeds', async () => {
  await insertMigration('9999-newer-release')
  expect(await migrate(ownerUrl)).toEqual([])
})

test('migrate: unknown migrations instead of its own ones, fails', async () => {
  await sql`delete from kysely_migration where name like '0001-%'`.execute(db)
  await expect(migrate(ownerUrl)).rejects.toThrow('9999-newer-release')
  await insertMigration('0001-foundation')
})
