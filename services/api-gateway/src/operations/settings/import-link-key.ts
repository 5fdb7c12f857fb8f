import { operations } from '@posthorn/contracts/operations'
import { handle } from '../../http/handle.ts'
import { canImportLinkKey, insertImportedLinkKey } from '../../store/installation/link-keys.ts'
import { settingSealContext } from '../../store/installation/settings.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { OperationDeps } from '../operation-deps.ts'

/**
 * Stores the secret of EmailEngine with which links in old messages are signed. The id under which
 * the secret is stored makes repeated and concurrent imports idempotent, although sealed
 * (encrypted) values of the same secret differ. A dry run stores nothing.
 */
export function onImportLinkKey({
  db,
  links,
  sealer,
}: Pick<OperationDeps, 'db' | 'links' | 'sealer'>) {
  return handle(operations.importLinkKey, async ({ body }) => {
    const secret = Buffer.from(body.secret)
    const id = await links.identifyImport(secret)
    if (id === undefined) return { imported: false }
    if (body.dryRun) return { imported: await canImportLinkKey(db, id) }
    const context = settingSealContext('importedLinkKey')
    const sealed = await sealer.seal(secret.toString('hex'), context)
    const imported = await inTransaction(db, (tx) => insertImportedLinkKey(tx, { id, sealed }))
    return { imported }
  })
}
