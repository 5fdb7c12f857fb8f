import { getQuota, operations } from '@posthorn/contracts'
import { accountNotFound, findAccount } from '../../store/accounts.ts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'
import { describeAccount } from './account-record.ts'

export function onGetAccount(deps: WorkerDeps) {
  return handle(operations.getAccount, async (input) => {
    const { account } = input.params
    const row = await findAccount(deps.db, account)
    if (!row) throw accountNotFound()
    const record = describeAccount(row)
    if (!input.query.quota || !row.imap) return record
    const { quota } = await callWorker(deps, input, [getQuota, { account }])
    return { ...record, quota: quota && { ...quota, status: percentOf(quota) } }
  })
}

function percentOf({ usage, limit }: { usage: number; limit: number }): string {
  return `${limit > 0 ? Math.round((usage / limit) * 100) : 100}%`
}
