import { sql } from 'kysely'
import type { Db } from './connect.ts'
import { listMigrations } from './migrate.ts'

/** Whether the database has every migration this code knows. Newer ones do not matter: code runs on both. */
export async function schemaIsReady(db: Db): Promise<boolean> {
  const wanted = await listMigrations()
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = new Set(rows.map(({ name }) => name))
  return wanted.every((name) => applied.has(name))
}

/** Throws unless Postgres answers. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}
