import { operations, syncAccount } from '@posthorn/contracts'
import { getShard } from '../../store/accounts.ts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { handle } from '../../http/route.ts'

export function onSyncAccount(deps: WorkerDeps) {
  return handle(operations.syncAccount, async (input) => {
    const { account } = input.params
    const { sync = false } = input.body
    if (sync) return callWorker(deps, input, [syncAccount, { account }])
    await getShard(deps.db, account)
    return { sync }
  })
}
