import { operations, parseDate } from '@posthorn/contracts'
import { accountNotFound, flushAccount, getShard } from '../../store/accounts.ts'
import { handle } from '../../http/route.ts'
import type { Deps } from './reconnect-account.ts'

/** Stored, not only told: whoever holds the account forgets what it knows before it connects the next time. */
export function onFlushAccount({ db, bus, tasks }: Deps) {
  return handle(operations.flushAccount, async ({ params: { account }, body }) => {
    const { flush = false, notifyFrom, imapIndexer } = body
    if (!flush) {
      await getShard(db, account)
      return { flush }
    }
    const from = (notifyFrom && parseDate(notifyFrom)) || new Date()
    const changes = { notifyFrom: from, ...(imapIndexer === undefined ? {} : { imapIndexer }) }
    if (!(await flushAccount(db, account, changes))) throw accountNotFound()
    tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    return { flush }
  })
}
