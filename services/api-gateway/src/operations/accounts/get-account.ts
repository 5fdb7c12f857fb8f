import { getQuota, operations } from '@posthorn/contracts'
import { accountNotFound, findAccount } from '../../store/accounts.ts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'
import { describeAccount } from './account-record.ts'

export function onGetAccount(deps: AskDeps) {
  return handle(operations.getAccount, async (input) => {
    const { account } = input.params
    const row = await findAccount(deps.db, account)
    if (!row) throw accountNotFound()
    const record = describeAccount(row)
    if (!input.query.quota || !row.imap) return record
    const { quota } = await askWorker(deps, input, [getQuota, { account }])
    return { ...record, quota: quota && { ...quota, status: percentOf(quota) } }
  })
}

function percentOf({ usage, limit }: { usage: number; limit: number }): string {
  return `${limit > 0 ? Math.round((usage / limit) * 100) : 100}%`
}
