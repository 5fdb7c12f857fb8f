import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { getOwner } from '../../store/accounts.ts'
import { deleteTemplatesOf } from '../../store/templates.ts'
import { handle } from '../../http/route.ts'

/** Deletes all that an account has for itself; those for all accounts stay. */
export function onFlushTemplates({ db }: { db: Db }) {
  return handle(operations.flushTemplates, async ({ params: { account }, query }) => {
    if (!query.force)
      throw new AppError('invalid', 'Deleting all templates of an account takes force=true', {
        code: 'ForceRequired',
      })
    await getOwner(db, account)
    await deleteTemplatesOf(db, account)
    return { flushed: true, account }
  })
}
