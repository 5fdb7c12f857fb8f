import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { findOutboxRow } from '../../store/outbox-entries.ts'
import { handle } from '../../http/route.ts'
import { describeEntry } from './describe-entry.ts'

export function onGetOutboxEntry({ db }: { db: Db }) {
  return handle(operations.getOutboxEntry, async ({ params: { queueId } }) => {
    const row = await findOutboxRow(db, queueId)
    if (!row)
      throw new AppError('not-found', 'There is no such message in the outbox', {
        code: 'NotFound',
      })
    return describeEntry(row)
  })
}
