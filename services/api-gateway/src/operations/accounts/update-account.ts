import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import { assertUserUnique, findAppFor } from '../../accounts/plan-oauth2.ts'
import { sealColumns, storePasswords } from '../../accounts/seal-account.ts'
import type { TaskGroup } from '@posthorn/flow'
import { handle } from '../../http/handle.ts'
import { accountNotFound, lockAccount, patchAccount, updateAccount } from '../../store/accounts.ts'
import { inTransaction } from '../../store/transaction.ts'
import {
  assertMailboxUnchanged,
  assertMailServerUnchanged,
  assertTargetUnchanged,
} from './assert-no-redirect.ts'
import { planUpdate } from './plan-update.ts'

export interface UpdateAccountDeps {
  db: Db
  bus: Bus
  sealer: Sealer
  tasks: TaskGroup
}

/** Changes an account. Its sessions restart only if something that they use has changed. */
export function onUpdateAccount({ db, bus, sealer, tasks }: UpdateAccountDeps) {
  return handle(operations.updateAccount, async ({ params: { account }, body, caller }) => {
    await inTransaction(db, async (tx) => {
      const stored = await lockAccount(tx, account)
      if (!stored) throw accountNotFound()
      const app = await findAppFor(tx, body.oauth2, stored)
      const { columns, passwords, restarts } = planUpdate(body, stored, app)
      assertMailboxUnchanged(caller.token, stored, columns)
      assertTargetUnchanged(caller.token, stored, columns)
      assertMailServerUnchanged(caller.token, stored, { columns, passwords })
      await assertUserUnique(tx, account, columns.oauth2)
      const change = restarts ? updateAccount : patchAccount
      await change(tx, account, await sealColumns(columns, { account, sealer }))
      await storePasswords(tx, { account, sealer }, passwords)
    })
    tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    return { account }
  })
}
