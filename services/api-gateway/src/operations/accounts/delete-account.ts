import type { Bus } from '@posthorn/bus'
import { accountDeleted, operations, revokeAccountGrant } from '@posthorn/contracts'
import {
  type Db,
  deriveEventId,
  publishEvents,
  recordEvents,
  type SettingsCache,
} from '@posthorn/db'
import type { TokenCache } from '../../access/token-cache.ts'
import type { BackgroundTasks } from '../../background-tasks.ts'
import { accountNotFound, deleteAccount, lockAccount } from '../../store/accounts.ts'
import { inTransaction } from '../../store/transaction.ts'
import { handle } from '../../http/route.ts'

/** A provider may take this long to take a grant back. */
const revokeMs = 10_000

export interface Deps {
  db: Db
  bus: Bus
  settings: SettingsCache
  tokens: TokenCache
  tasks: BackgroundTasks
}

/** Before the account is deleted, for the grant goes with it. That it cannot be given back stops nobody. */
async function revoke(bus: Bus, account: string, signal: AbortSignal): Promise<void> {
  const how = { key: 'credentials', timeoutMs: revokeMs, signal }
  await bus.request(revokeAccountGrant, { account }, how).catch(() => undefined)
}

/** Deletes an account. Its webhook target goes with the event, which is delivered when the account is no longer there. */
export function onDeleteAccount({ db, bus, settings, tokens, tasks }: Deps) {
  return handle(operations.deleteAccount, async ({ params: { account }, query, signal }) => {
    if (query.revoke) await revoke(bus, account, signal)
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
    tasks.run(publishEvents(db, (message) => bus.publishEvent(message), events))
    tasks.run(bus.invalidate({ topic: 'accounts', id: account }))
    tasks.run(bus.invalidate({ topic: 'tokens' }))
    return { account, deleted: true }
  })
}
