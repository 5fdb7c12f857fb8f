import type { Bus } from '@posthorn/bus'
import { defined, operations, parseDate, syncAccount } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { TaskGroup } from '@posthorn/flow'
import { callWorker } from '../../http/call-worker.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { accountNotFound, flushAccount, getShard, updateAccount } from '../../store/accounts.ts'

export interface AccountSyncDeps {
  db: Db
  bus: Bus
  tasks: TaskGroup
  timeoutMs: number
}

/**
 * Operations on the session of an account. Reconnect and flush are stored in the account: its
 * worker sees the new version even if the broadcast is lost.
 */
export function accountSyncHandlers(deps: AccountSyncDeps): OperationHandler[] {
  const { db, bus, tasks } = deps
  const invalidate = (id: string) => tasks.run(bus.invalidate({ topic: 'accounts', id }))
  return [
    handle(operations.reconnectAccount, async ({ params: { account }, body }) => {
      const { reconnect = false } = body
      if (!reconnect) await getShard(db, account)
      else if (!(await updateAccount(db, account, {}))) throw accountNotFound()
      else invalidate(account)
      return { reconnect }
    }),
    handle(operations.flushAccount, async ({ params: { account }, body }) => {
      const { flush = false, notifyFrom, imapIndexer } = body
      if (!flush) {
        await getShard(db, account)
        return { flush }
      }
      const from = (notifyFrom && parseDate(notifyFrom)) || new Date()
      const changes = defined({ notifyFrom: from, imapIndexer })
      if (!(await flushAccount(db, account, changes))) throw accountNotFound()
      invalidate(account)
      return { flush }
    }),
    handle(operations.syncAccount, async (input) => {
      const { account } = input.params
      const { sync = false } = input.body
      if (sync) return callWorker(deps, input, [syncAccount, { account }])
      await getShard(db, account)
      return { sync }
    }),
  ]
}
