import { hasTenantBody, tenantBody } from '@posthorn/contracts/visible-failures'
import type { Tx } from '@posthorn/db'
import { findBody, type PendingEvent } from '../store/events.ts'
import type { AccountTarget } from '../store/target-sources.ts'

/** Settings with which a tenant causes failures, or selects the receiver of failures. */
const leading = ['imap', 'smtp', 'webhooks'] as const

/**
 * Bodies, by event row, of events that an account's own target receives without the reason of a
 * failed connection. A tenant who has set a server or the target could otherwise scan the network
 * with the reasons. Such bodies are stored with the delivery, so every attempt sends the same
 * bytes.
 */
export async function findTenantBodies(
  tx: Tx,
  events: readonly PendingEvent[],
  accounts: ReadonlyMap<string, AccountTarget>,
): Promise<Map<string, string>> {
  const bodies = new Map<string, string>()
  for (const event of events) {
    const { tenantSet = [], webhooks } = accounts.get(event.account) ?? {}
    const isTenants = leading.some((member) => tenantSet.includes(member))
    if (!isTenants || !webhooks || !hasTenantBody(event.event)) continue
    const body = event.body ?? (await findBody(tx, event))
    const changed = body === undefined ? null : tenantBody(event.event, body)
    if (changed !== null) bodies.set(event.eventRow, changed)
  }
  return bodies
}
