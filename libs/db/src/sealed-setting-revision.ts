import { sql } from 'kysely'
import type { Db } from './connect.ts'

/** Returns the time of the last change as text, in microseconds; undefined if it is not set. */
export async function findSealedSettingRevision(db: Db, key: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sealedSettings')
    .select(sql<string>`updated_at::text`.as('revision'))
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.revision
}
