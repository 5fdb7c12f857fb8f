import type { Bus } from '@posthorn/bus'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { BackgroundTasks } from '../../background-tasks.ts'
import { accountNotFound, getShard, updateAccount } from '../../store/accounts.ts'
import { handle } from '../../http/route.ts'

/** Stored, not only told: whoever holds the account sees another version of it, and begins anew. */
export function onReconnectAccount({ db, bus, tasks }: Deps) {
  return handle(operations.reconnectAccount, async ({ params: { account }, body }) => {
    const { reconnect = false } = body
    if (!reconnect) await getShard(db, account)
    else if (!(await updateAccount(db, account, {}))) throw accountNotFound()
    else tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    return { reconnect }
  })
}

export interface Deps {
  db: Db
  bus: Bus
  tasks: BackgroundTasks
}
