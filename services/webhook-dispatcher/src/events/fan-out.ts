import { randomUUID } from 'node:crypto'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { targetAddress } from '@posthorn/contracts/target-address'
import { hasTenantBody, tenantBody } from '@posthorn/contracts/visible-failures'
import { type Db, readSettings, type Tx } from '@posthorn/db'
import type { Dispatcher } from '../dispatch/dispatcher.ts'
import type { DecideRoutes, RouteDecisions } from '../routes/decide.ts'
import type { RouteCache } from '../routes/route-cache.ts'
import type { RouteErrorLog } from '../routes/route-error-log.ts'
import { findBody } from '../store/bodies.ts'
import {
  type ClaimedDelivery,
  type ClaimOwner,
  insertDeliveries,
  type InsertedDelivery,
  isRoute,
  type NewDelivery,
} from '../store/deliveries.ts'
import {
  listPendingEvents,
  lockPartition,
  markFannedOut,
  maxInlineBody,
  type PendingEvent,
} from '../store/events.ts'
import { countApplied, countEvents, isDeletedAccountError } from '../store/statistics.ts'
import { type AccountTarget, listAccountTargets } from '../store/target-sources.ts'
import { isEmitted, isWanted, routeTargetOf, type Target, targetOf } from '../targets/targets.ts'

export interface FanOutDeps {
  db: Db
  dispatcher: Pick<Dispatcher, 'owner' | 'capacity' | 'claimShared' | 'enqueue'>
  /**
   * Calls the filter and map functions of webhook routes before the transaction that creates
   * deliveries (fan-out), because the transaction must not wait for functions.
   */
  decide: DecideRoutes
  routes: Pick<RouteCache, 'refresh'>
  routeErrors: Pick<RouteErrorLog, 'recordFailures'>
  /** Called with the events whose webhook deliveries a fan-out has created and committed. */
  onFannedOut: (events: readonly PendingEvent[]) => void
}

/** Maximum events whose webhook deliveries one transaction inserts (fan-out). */
export const batchSize = 500

/**
 * Creates the function that fans out events: inserts the webhook deliveries of a partition's
 * pending events until no event is pending. One transaction inserts the deliveries and marks the
 * events, so each event is fanned out once, whichever process crashes. Targets, settings, accounts
 * and routes are read in the transaction: a batch decided by an older version of the routes is
 * decided again.
 */
export function createFanOut(deps: FanOutDeps): (partition: number) => Promise<void> {
  const { decide, dispatcher, onFannedOut, routes, routeErrors } = deps
  return async (partition) => {
    for (;;) {
      const decisions = await decide(partition)
      const batch = await dispatcher.claimShared(() => fanOutBatch(deps, partition, decisions))
      if (batch === 'outdated') {
        await routes.refresh()
        continue
      }
      onFannedOut(batch.events)
      recordFailures(batch.events, decisions, routeErrors)
      if (batch.isLast) return
    }
  }
}

async function fanOutBatch(
  { db, dispatcher }: FanOutDeps,
  partition: number,
  decisions: RouteDecisions,
) {
  const batch = await db
    .transaction()
    .execute((tx) => insertBatch(tx, { dispatcher, partition, decisions }))
    .catch(outdatedByDeletion)
  if (batch === 'outdated') return batch
  const { events, isLast, deliveries, inserted } = batch
  const unclaimed = deliveries.filter(({ id }) => inserted.get(id)?.claimed === false)
  dispatcher.enqueue(
    claimedDeliveries(deliveries, inserted),
    new Set(unclaimed.map(({ lane }) => lane)),
  )
  return { events, isLast }
}

/**
 * Maps the deletion of an account during the transaction that creates webhook deliveries to the
 * result `outdated`, which repeats the transaction. The next transaction does not find the account.
 */
function outdatedByDeletion(error: unknown): 'outdated' {
  if (isDeletedAccountError(error)) return 'outdated'
  throw error
}

interface BatchContext {
  dispatcher: { readonly owner: ClaimOwner; capacity(lane: string): number }
  partition: number
  decisions: RouteDecisions
}

async function insertBatch(tx: Tx, { dispatcher, partition, decisions }: BatchContext) {
  await lockPartition(tx, partition)
  const settings = await readSettings(tx)
  const whole = settings.inboxNewOnly === true ? 'messageNew' : null
  const pending = await listPendingEvents(tx, { partition, limit: batchSize, whole })
  if (pending[0] && pending[0].routesVersion !== decisions.version) return 'outdated'
  const events = decidedEvents(pending, decisions, settings)
  const accounts = await listAccountTargets(tx, [...new Set(events.map(({ account }) => account))])
  const tenantBodies = await findTenantBodies(tx, events, accounts)
  const context = { accounts, settings, decisions, tenantBodies }
  const deliveries = markClaimed(
    events.flatMap((event) => deliveriesOf(event, context)),
    (lane) => dispatcher.capacity(lane),
  )
  const inserted = await insertDeliveries(tx, deliveries, dispatcher.owner)
  await countApplied(tx, countRoutes(deliveries, inserted), partition)
  await markFannedOut(tx, events)
  await countEvents(tx, events, partition)
  const isLast = pending.length < batchSize && events.length === pending.length
  return { events, deliveries, inserted, isLast }
}

/**
 * Pending events before the first event that the webhook routes have not decided. Such an event was
 * recorded after the decisions, or waits for the next batch (`maxOutputChars`). Returns all pending
 * events if webhooks are disabled.
 */
function decidedEvents(
  pending: readonly PendingEvent[],
  decisions: RouteDecisions,
  { webhooksEnabled }: Settings,
): readonly PendingEvent[] {
  if (webhooksEnabled !== true) return pending
  const end = pending.findIndex((event) => decisions.of(event) === undefined)
  return end === -1 ? pending : pending.slice(0, end)
}

interface TargetContext {
  accounts: ReadonlyMap<string, AccountTarget>
  settings: Settings
  decisions: RouteDecisions
  /** Event bodies for the webhook targets of tenants, by the row id of the event. */
  tenantBodies: ReadonlyMap<string, string>
}

function deliveriesOf(event: PendingEvent, context: TargetContext): NewDelivery[] {
  const { accounts, settings, decisions, tenantBodies } = context
  const account = accounts.get(event.account)
  const messageSpecialUse = messageSpecialUseOf(event, settings)
  if (!isEmitted({ ...event, messageSpecialUse }, settings)) return []
  const target = isWanted(event, settings) ? targetOf(event, account, settings) : undefined
  const selected: { target: Target; body: string | null }[] = []
  if (target) {
    const own = target.name === 'account' ? tenantBodies.get(event.eventRow) : undefined
    selected.push({ target, body: own ?? null })
  }
  for (const { route, body } of decisions.of(event) ?? []) {
    const target = routeTargetOf(event, { route, account, settings })
    if (target) selected.push({ target, body })
  }
  return selected.map(({ target, body }) => ({
    id: randomUUID(),
    event,
    target: target.name,
    lane: targetAddress(target.url),
    claimed: false,
    body,
  }))
}

/**
 * Value of `data.messageSpecialUse` in a `messageNew` event. Undefined for an unreadable body,
 * which must not block the events of other accounts in the partition (group of accounts).
 */
function messageSpecialUseOf(
  { event, body }: PendingEvent,
  settings: Settings,
): string | undefined {
  if (settings.inboxNewOnly !== true || event !== 'messageNew' || body === null) return undefined
  try {
    return (JSON.parse(body) as { data?: { messageSpecialUse?: string } }).data?.messageSpecialUse
  } catch {
    return undefined
  }
}

/**
 * Marks the first webhook deliveries of each lane (queue of one target address), up to the capacity
 * of the lane, to be claimed by this process.
 */
function markClaimed(
  deliveries: readonly NewDelivery[],
  capacityOf: (lane: string) => number,
): NewDelivery[] {
  const free = new Map<string, number>()
  return deliveries.map((delivery) => {
    const left = free.get(delivery.lane) ?? capacityOf(delivery.lane)
    free.set(delivery.lane, left - 1)
    return { ...delivery, claimed: left > 0 }
  })
}

/** Number of inserted webhook deliveries per webhook route. */
function countRoutes(
  deliveries: readonly NewDelivery[],
  inserted: ReadonlyMap<string, unknown>,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { id, target } of deliveries)
    if (isRoute(target) && inserted.has(id)) counts.set(target, (counts.get(target) ?? 0) + 1)
  return counts
}

function claimedDeliveries(
  deliveries: readonly NewDelivery[],
  inserted: ReadonlyMap<string, InsertedDelivery>,
): ClaimedDelivery[] {
  return deliveries.flatMap(({ id, event, target, lane, body: mapped }) => {
    const { claimed = false, queuedAt } = inserted.get(id) ?? {}
    if (!claimed || !queuedAt) return []
    const whole = mapped ?? event.body
    const body = whole !== null && whole.length <= maxInlineBody ? whole : null
    return [{ ...event, id, target, lane, queuedAt, attempts: 0, body, ordered: true }]
  })
}

function recordFailures(
  events: readonly PendingEvent[],
  { failures }: RouteDecisions,
  routeErrors: FanOutDeps['routeErrors'],
): void {
  if (failures.length === 0) return
  const byEvent = Map.groupBy(failures, ({ eventRow }) => eventRow)
  const committed = events.flatMap(({ eventRow }) => byEvent.get(eventRow) ?? [])
  routeErrors.recordFailures(committed.map(({ eventRow: _eventRow, ...failure }) => failure))
}

/**
 * Fields of an account with which a tenant causes failed connections, or selects the receiver of
 * the account's events.
 */
const leading = ['imap', 'smtp', 'webhooks'] as const

/**
 * Bodies, by event row, of events that an account's own webhook target receives without the reason
 * of a failed connection. A tenant who has set a server or the target could otherwise scan the
 * network with the reasons. Such bodies are stored with the delivery, so every attempt sends the
 * same bytes.
 */
async function findTenantBodies(
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
