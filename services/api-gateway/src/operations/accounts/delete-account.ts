import type { Bus } from '@posthorn/bus'
import { accountDeleted, operations } from '@posthorn/contracts'
import {
  type Db,
  deriveEventId,
  publishEvents,
  recordEvents,
  type SettingsCache,
} from '@posthorn/db'
import type { TokenCache } from '../../access/token-cache.ts'
import type { Afterwards } from '../../afterwards.ts'
import { accountNotFound, deleteAccount, lockAccount } from '../../store/accounts.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../handle.ts'

export interface Deps {
  db: Db
  bus: Bus
  settings: SettingsCache
  tokens: TokenCache
  afterwards: Afterwards
}

/** Deletes an account. Its webhook target goes with the event, which is delivered when the account is no longer there. */
export function onDeleteAccount({ db, bus, settings, tokens, afterwards }: Deps) {
  return handle(operations.deleteAccount, async ({ params: { account } }) => {
    const { serviceUrl = null } = await settings.get()
    const events = await inTransaction(db, async (tx) => {
      const stored = await lockAccount(tx, account)
      if (!stored) throw accountNotFound()
      const { webhooks, webhooksCustomHeaders, createdAt } = stored
      const event = {
        eventId: deriveEventId([accountDeleted.name, account, createdAt.getTime()]),
        event: accountDeleted.name,
        account,
        data: { account },
        ...(webhooks
          ? { accountTarget: { url: webhooks, headers: webhooksCustomHeaders ?? [] } }
          : {}),
      }
      const recorded = await recordEvents(tx, [event], serviceUrl)
      await deleteAccount(tx, account)
      return recorded
    })
    tokens.invalidate()
    afterwards.do(publishEvents(db, (message) => bus.publishEvent(message), events))
    afterwards.do(bus.invalidate({ topic: 'accounts', id: account }))
    afterwards.do(bus.invalidate({ topic: 'tokens' }))
    return { account, deleted: true }
  })
}
