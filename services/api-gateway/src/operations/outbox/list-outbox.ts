import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { listOutboxRows } from '../../store/outbox-entries.ts'
import { handle } from '../../http/route.ts'
import { describeEntry } from './describe-entry.ts'

export function onListOutbox({ db }: { db: Db }) {
  return handle(
    operations.listOutbox,
    async ({ query: { page = 0, pageSize = 20, ...filter } }) => {
      const { total, rows } = await listOutboxRows(db, { ...filter, page, pageSize })
      return { total, page, pages: Math.ceil(total / pageSize), messages: rows.map(describeEntry) }
    },
  )
}
