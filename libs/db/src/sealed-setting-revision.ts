import { sql } from 'kysely'
import type { Db } from './connect.ts'

/** Since when a sealed setting is what it is; undefined where there is none. As text: to the microsecond. What it is stays sealed. */
export async function findSealedSettingRevision(db: Db, key: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sealedSettings')
    .select(sql<string>`updated_at::text`.as('revision'))
    .where('key', '=', key)
    .executeTakeFirst()
  return row?.revision
}
