import type { Db } from '@posthorn/db'

/** Finds the status and the sealed (encrypted) key of an export. Undefined for a deleted export. */
export function findExport(db: Db, { account, exportId }: { account: string; exportId: string }) {
  return db
    .selectFrom('exports')
    .select(['status', 'sealed'])
    .where('exportId', '=', exportId)
    .where('account', '=', account)
    .executeTakeFirst()
}
