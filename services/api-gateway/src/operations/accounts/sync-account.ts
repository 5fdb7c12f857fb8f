import { operations, syncAccount } from '@posthorn/contracts'
import { getShard } from '../../store/accounts.ts'
import { type AskDeps, askWorker } from '../ask-worker.ts'
import { handle } from '../handle.ts'

export function onSyncAccount(deps: AskDeps) {
  return handle(operations.syncAccount, async (input) => {
    const { account } = input.params
    const { sync = false } = input.body
    if (sync) return askWorker(deps, input, [syncAccount, { account }])
    await getShard(deps.db, account)
    return { sync }
  })
}
