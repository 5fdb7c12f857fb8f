import type { Tx } from '@posthorn/db'
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
  const rows = await tx
    .selectFrom('sealedSettings')
    .select('key')
    .where('key', 'like', 'importedLinkKey:%')
    .execute()
  const key = `importedLinkKey:${id}`
  if (rows.some((row) => row.key === key)) return false
  if (rows.length >= maxImports)
    throw new AppError('invalid', `At most ${maxImports} link secrets can be imported`, {
      code: 'UnsupportedOperation',
    })
  await tx.insertInto('sealedSettings').values({ key, sealed }).execute()
  return true
}
