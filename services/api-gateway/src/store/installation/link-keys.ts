import type { Db, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sql } from 'kysely'

/**
 * Maximum number of imported link secrets. Each request of a link with an unknown signature is
 * compared with all of them.
 */
const maxImports = 10

/**
 * Stores a sealed (encrypted) link secret of EmailEngine under its id. False if the id is stored
 * already. Concurrent imports wait for each other until the transaction ends.
 *
 * @throws AppError `invalid` if the maximum number of secrets is stored
 */
export async function insertImportedLinkKey(
  tx: Tx,
  { id, sealed }: { id: string; sealed: string },
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('posthorn:link-key-imports'))`.execute(tx)
  if (!(await canImportLinkKey(tx, id))) return false
  await tx
    .insertInto('sealedSettings')
    .values({ key: keyOf(id), sealed })
    .execute()
  return true
}

/**
 * True if no link secret of EmailEngine is stored under the id.
 *
 * @throws AppError `invalid` if the maximum number of secrets is stored
 */
export async function canImportLinkKey(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .selectFrom('sealedSettings')
    .select('key')
    .where('key', 'like', keyOf('%'))
    .execute()
  if (rows.some(({ key }) => key === keyOf(id))) return false
  if (rows.length >= maxImports)
    throw new AppError('invalid', `At most ${maxImports} link secrets can be imported`, {
      code: 'UnsupportedOperation',
    })
  return true
}

function keyOf(id: string): string {
  return `importedLinkKey:${id}`
}
