import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import type { Afterwards } from '../../afterwards.ts'
import { accountNotFound, lockAccount, patchAccount, updateAccount } from '../../store/accounts.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../handle.ts'
import { assertSameMailbox } from './assert-same-mailbox.ts'
import { assertSameReceiver } from './assert-same-receiver.ts'
import { assertSameWay } from './assert-same-way.ts'
import { assertOnlyOne, findMeantApp } from './plan-oauth2-account.ts'
import { planUpdate } from './plan-update.ts'
import { sealColumns } from './seal-in-place.ts'
import { storePasswords } from './store-passwords.ts'

export interface Deps {
  db: Db
  bus: Bus
  sealer: Sealer
  afterwards: Afterwards
}

/** Changes an account. Its sessions start anew only where what they work with is another. */
export function onUpdateAccount({ db, bus, sealer, afterwards }: Deps) {
  return handle(operations.updateAccount, async ({ params: { account }, body, caller }) => {
    await inTransaction(db, async (tx) => {
      const stored = await lockAccount(tx, account)
      if (!stored) throw accountNotFound()
      const app = await findMeantApp(tx, body.oauth2, stored)
      const { columns, passwords, restarts } = planUpdate(body, stored, app)
      assertSameMailbox(caller.token, stored, columns)
      assertSameReceiver(caller.token, stored, columns)
      assertSameWay(caller.token, stored, { columns, passwords })
      await assertOnlyOne(tx, account, columns.oauth2)
      const change = restarts ? updateAccount : patchAccount
      await change(tx, account, await sealColumns(columns, { account, sealer }))
      await storePasswords(tx, { account, sealer }, passwords)
    })
    afterwards.do(bus.invalidate({ topic: 'accounts', id: account }))
    return { account }
  })
}
