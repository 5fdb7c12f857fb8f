import { expect, test } from '@jest/globals'
import { listMigrations, readMigrations } from '../migrate/migration-files.ts'
import { checkMigrations, lastUnchecked } from './check-migrations.ts'

test('migrations: follow the rules of libs/db/README.md', async () => {
  expect(checkMigrations(await readMigrations())).toEqual([])
})

test('lastUnchecked: is a migration of the oldest supported release', async () => {
  const names = await listMigrations()
  expect(names).toContain(lastUnchecked)
  expect(names.filter((name) => name > lastUnchecked).length).toBeGreaterThan(10)
})
