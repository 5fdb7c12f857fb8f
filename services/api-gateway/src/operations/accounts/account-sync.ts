import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import { defined } from '@posthorn/contracts/defined'
import { parseDate } from '@posthorn/contracts/formats'
import { operations } from '@posthorn/contracts/operations'
import { callWorker } from '../../http/call-worker.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import {
  assertNotPaused,
  flushAccount,
  getShard,
  updateAccount,
} from '../../store/accounts/accounts.ts'
import type { OperationDeps } from '../operation-deps.ts'

type AccountSyncDeps = Pick<OperationDeps, 'db' | 'bus' | 'tasks' | 'timeoutMs'>

/**
 * Operations that control the session of an account, its connection to the mail server. Requests to
 * reconnect or to flush the mailbox indexes change the stored account, so that the account's worker
 * sees the new version even if the broadcast is lost. Paused accounts are rejected.
 */
export function accountSyncHandlers(deps: AccountSyncDeps): OperationHandler[] {
  const { db, bus, tasks } = deps
  const invalidate = (id: string) => tasks.run(bus.invalidate({ topic: 'accounts', id }))
  return [
    handle(operations.reconnectAccount, async ({ params: { account }, body }) => {
      const { reconnect = false } = body
      if (!reconnect) await getShard(db, account)
      else {
        await assertNotPaused(db, account)
        await updateAccount(db, account, {})
        invalidate(account)
      }
      return { reconnect }
    }),
    handle(operations.flushAccount, async ({ params: { account }, body }) => {
      const { flush = false, notifyFrom, imapIndexer } = body
      if (!flush) {
        await getShard(db, account)
        return { flush }
      }
      await assertNotPaused(db, account)
      const from = (notifyFrom && parseDate(notifyFrom)) || new Date()
      await flushAccount(db, account, defined({ notifyFrom: from, imapIndexer }))
      invalidate(account)
      return { flush }
    }),
    handle(operations.syncAccount, async (input) => {
      const { account } = input.params
      const { sync = false } = input.body
      if (!sync) {
        await getShard(db, account)
        return { sync }
      }
      await assertNotPaused(db, account)
      return callWorker(deps, input, [syncAccount, { account }])
    }),
  ]
}
