import { connect } from '@posthorn/db'
import { sql } from 'kysely'

/** Returns the disk space of tables with their indexes, in bytes. */
export async function tableBytes(ownerUrl: string, tables: readonly string[]): Promise<number> {
  const db = connect(ownerUrl, { name: 'test table sizes' })
  try {
    const { rows } = await sql<{ bytes: string }>`
      select coalesce(sum(pg_total_relation_size(name::regclass)), 0)::text as bytes from unnest(${[...tables]}::text[]) as name
    `.execute(db)
    return Number(rows[0]?.bytes)
  } finally {
    await db.destroy()
  }
}
