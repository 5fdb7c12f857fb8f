import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Since when the password for all accounts is what it is; undefined where there is none. As text: to the microsecond. */
export async function findPasswordRevision(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('sealedSettings')
    .select(sql<string>`updated_at::text`.as('revision'))
    .where('key', '=', 'smtpServerPassword')
    .executeTakeFirst()
  return row?.revision
}
