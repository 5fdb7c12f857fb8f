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
import type { TaskGroup } from '@posthorn/flow'
import { handle } from '../../http/handle.ts'
import { accountNotFound, deleteAccount, lockAccount } from '../../store/accounts.ts'
import { inTransaction } from '../../store/transaction.ts'

/** Timeout of the provider's revocation endpoint. */
const revokeTimeoutMs = 10_000

export interface DeleteAccountDeps {
  db: Db
  bus: Bus
  settings: SettingsCache
  tokens: TokenCache
  tasks: TaskGroup
}

/** Deletes an account. Its webhook target is stored with the event, which is delivered later. */
export function onDeleteAccount({ db, bus, settings, tokens, tasks }: DeleteAccountDeps) {
  return handle(operations.deleteAccount, async ({ params: { account }, query, signal }) => {
    if (query.revoke) await revokeGrant(bus, account, signal)
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

/** Runs before the deletion, which deletes the grant. A failure does not prevent the deletion. */
async function revokeGrant(bus: Bus, account: string, signal: AbortSignal): Promise<void> {
  const options = { key: 'credentials', timeoutMs: revokeTimeoutMs, signal }
  await bus.request(revokeAccountGrant, { account }, options).catch(() => undefined)
}
