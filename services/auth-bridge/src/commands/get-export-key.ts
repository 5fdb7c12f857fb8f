import { on } from '@posthorn/bus'
import { getExportKey } from '@posthorn/contracts/commands/credentials'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { chunkKeySealContext, type Unsealer } from '@posthorn/secrets'
import { findExport } from '../store/exports.ts'
import { assertEntitledToExport } from './assert-entitled.ts'

/** Creates the handler that returns the key of an export's chunks. */
export function onGetExportKey({ db, unsealer }: { db: Db; unsealer: Unsealer }) {
  return on(getExportKey, async ({ account, exportId, entitlement }, { requester }) => {
    const row = await findExport(db, { account, exportId })
    if (!row)
      throw new AppError('not-found', `Export "${exportId}" was not found`, { code: 'NotFound' })
    const { status, sealed } = row
    await assertEntitledToExport(db, requester, { account, status, entitlement })
    return { key: await unsealer.unseal(sealed, chunkKeySealContext(exportId)) }
  })
}
