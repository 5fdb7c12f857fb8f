import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Afterwards } from '../../afterwards.ts'
import { accountNotFound, getShard, updateAccount } from '../../store/accounts.ts'
import { handle } from '../handle.ts'

/** Stored, not only told: whoever holds the account sees another version of it, and begins anew. */
export function onReconnectAccount({ db, bus, afterwards }: Deps) {
  return handle(operations.reconnectAccount, async ({ params: { account }, body }) => {
    const { reconnect = false } = body
    if (!reconnect) await getShard(db, account)
    else if (!(await updateAccount(db, account, {}))) throw accountNotFound()
    else afterwards.do(bus.invalidate({ topic: 'accounts', id: account }))
    return { reconnect }
  })
}

export interface Deps {
  db: Db
  bus: Bus
  afterwards: Afterwards
}
