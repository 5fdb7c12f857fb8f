import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'
import { listTokenLog } from '../../store/token-log.ts'
import { findTokenRecord, tokenNotFound } from '../../store/tokens.ts'
import { handle } from '../../http/route.ts'
import { describeLogEntry } from './token-record.ts'

export interface Deps {
  db: Db
  /** Entries that a token keeps. */
  tokenLogEntries: number
}

/** Reads what a token was used for; of one that is gone, as long as there is something to read. */
export function onGetTokenLog({ db, tokenLogEntries: keep }: Deps) {
  return handle(operations.getTokenLog, async ({ params, query: { page = 0, pageSize = 20 } }) => {
    const found = await findTokenRecord(db, [params.token, hashToken(params.token)])
    const token = found?.id ?? params.token
    const { total, rows } = await listTokenLog(db, token, { page, pageSize, keep })
    if (!found && total === 0) throw tokenNotFound()
    const pages = Math.ceil(total / pageSize)
    return { token, total, page, pages, entries: rows.map(describeLogEntry) }
  })
}
