import { getQuota, operations } from '@posthorn/contracts'
import { callWorker, type WorkerDeps } from '../../http/call-worker.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { findAccount, listAccounts } from '../../store/account-records.ts'
import { accountNotFound, getShard } from '../../store/accounts.ts'
import { describeAccount, describeListed } from './account-record.ts'

/** Operations that read accounts. */
export function accountReadHandlers(deps: WorkerDeps): OperationHandler[] {
  const { db } = deps
  return [
    handle(operations.listAccounts, async ({ query: { state, query, ...page } }) => {
      const { rows, ...counts } = await listAccounts(db, { state, query, ...page })
      const filter = { query: query || (false as const), state: state ?? '*' }
      return { ...counts, ...filter, accounts: rows.map(describeListed) }
    }),
    handle(operations.getAccount, async (input) => {
      const { account } = input.params
      const row = await findAccount(db, account)
      if (!row) throw accountNotFound()
      const record = describeAccount(row)
      if (!input.query.quota || !row.imap) return record
      const { quota } = await callWorker(deps, input, [getQuota, { account }])
      return { ...record, quota: quota && { ...quota, status: percentOf(quota) } }
    }),
    // IMAP and SMTP servers store no signatures.
    handle(operations.getServerSignatures, async ({ params: { account } }) => {
      await getShard(db, account)
      return { signatures: [], signaturesSupported: false }
    }),
  ]
}

function percentOf({ usage, limit }: { usage: number; limit: number }): string {
  return `${limit > 0 ? Math.round((usage / limit) * 100) : 100}%`
}
