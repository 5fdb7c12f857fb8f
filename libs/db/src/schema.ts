import { sql } from 'kysely'
import type { Db } from './connect.ts'
import { listMigrations } from './migrate.ts'

/** True if all migrations of this release are applied. Newer ones are allowed. */
export async function schemaIsReady(db: Db): Promise<boolean> {
  const required = await listMigrations()
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = new Set(rows.map(({ name }) => name))
  return required.every((name) => applied.has(name))
}

/** Throws unless Postgres responds. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}
