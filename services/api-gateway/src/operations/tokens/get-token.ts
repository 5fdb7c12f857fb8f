import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'
import { findTokenRecord, tokenNotFound } from '../../store/tokens.ts'
import { handle } from '../../http/route.ts'
import { describeToken } from './token-record.ts'

/** Reads a token by its value or its id. */
export function onGetToken({ db }: { db: Db }) {
  return handle(operations.getToken, async ({ params: { token } }) => {
    const row = await findTokenRecord(db, [token, hashToken(token)])
    if (!row) throw tokenNotFound()
    return describeToken(row)
  })
}
