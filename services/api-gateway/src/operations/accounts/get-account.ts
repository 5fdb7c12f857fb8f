import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { accountNotFound, findAccount } from '../../store/accounts.ts'
import { handle } from '../handle.ts'
import { describeAccount } from './account-record.ts'

export function onGetAccount({ db }: { db: Db }) {
  return handle(operations.getAccount, async ({ params }) => {
    const row = await findAccount(db, params.account)
    if (!row) throw accountNotFound()
    return describeAccount(row)
  })
}
