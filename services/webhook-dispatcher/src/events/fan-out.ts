import { randomUUID } from 'node:crypto'
import type { Settings } from '@posthorn/contracts'
import { type Db, readSettings, type Tx } from '@posthorn/db'
import type { ClaimLock } from '../dispatch/claim-lock.ts'
import type { RouteDecisions } from '../routes/decide.ts'
import { listAccountTargets } from '../store/accounts.ts'
import { countEvents, isDeletedAccountError } from '../store/counts.ts'
import type { ClaimOwner, ClaimedDelivery } from '../store/deliveries.ts'
import {
  listPendingEvents,
  lockPartition,
  markFannedOut,
  maxInlineBody,
  type PendingEvent,
} from '../store/events.ts'
import {
  insertDeliveries,
  type InsertedDelivery,
  type NewDelivery,
} from '../store/new-deliveries.ts'
import { countApplied, type RouteFailure } from '../store/route-states.ts'
import {
  type AccountTarget,
  isWanted,
  laneOf,
  isRoute,
  routeTargetOf,
  type Target,
  targetOf,
} from '../targets/target.ts'

export interface FanOutDeps {
  db: Db
  claim: ClaimOwner
  /** How many more of a lane this process can take in hand. */
  capacity: (lane: string) => number
  /** Given deliveries that were made and claimed, once that is committed. In the order of their events. */
  enqueue: (deliveries: ClaimedDelivery[]) => void
  claims: ClaimLock
  /** Told of events, once it is committed that they are fanned out. */
  fannedOut: (events: readonly PendingEvent[]) => void
  /** Told of lanes whose deliveries were made and left for whoever has room. */
  overflowed: (lane: string) => void
  routes: RouteChoice
}

/** Asked before the transaction, which is not to wait for functions. */
export interface RouteChoice {
  decide: (partition: number) => Promise<RouteDecisions>
  /** The routes have changed since they were looked at. */
  refresh: () => Promise<void>
  /** Told of functions that failed, once it is committed what that led to. */
  failed: (failures: readonly RouteFailure[]) => void
}

/** Events of one transaction. */
export const batchSize = 500

/**
 * Turns a partition's events into deliveries, until none is left: one transaction makes the rows and marks the events, so that each
 * event is fanned out once, whatever dies in between. Targets, settings and accounts are those of that moment; so are the routes: a
 * batch that was decided by others is decided again.
 */
export function fanOut(deps: FanOutDeps): (partition: number) => Promise<void> {
  const { routes } = deps
  return async (partition) => {
    for (;;) {
      const decisions = await routes.decide(partition)
      const batch = await deps.claims.shared(() => takeBatch({ ...deps, partition, decisions }))
      if (batch === 'outdated') {
        await routes.refresh()
        continue
      }
      deps.fannedOut(batch.events)
      reportFailures(batch.events, decisions, routes)
      if (batch.isLast) return
    }
  }
}

interface BatchDeps extends FanOutDeps {
  partition: number
  decisions: RouteDecisions
}

async function takeBatch(deps: BatchDeps) {
  const batch = await deps.db
    .transaction()
    .execute((tx) => fanOutBatch(tx, deps))
    .catch(outdatedByDeletion)
  if (batch === 'outdated') return batch
  const { deliveries, made, ...rest } = batch
  enqueueClaimed(deps, deliveries, made)
  return rest
}

/** An account that was deleted in the middle is not found by the next look. */
function outdatedByDeletion(error: unknown): 'outdated' {
  if (isDeletedAccountError(error)) return 'outdated'
  throw error
}

async function fanOutBatch(tx: Tx, { claim, capacity: room, partition, decisions }: BatchDeps) {
  await lockPartition(tx, partition)
  const settings = await readSettings(tx)
  const whole = settings.inboxNewOnly === true ? 'messageNew' : null
  const found = await listPendingEvents(tx, { partition, limit: batchSize, whole })
  if (found[0] && found[0].routesVersion !== decisions.version) return 'outdated'
  const events = decidedOf(found, decisions, settings)
  const accounts = await listAccountTargets(tx, [...new Set(events.map(({ account }) => account))])
  const making = { accounts, settings, decisions }
  const deliveries = markClaimed(
    events.flatMap((event) => deliveriesOf(event, making)),
    room,
  )
  const made = await insertDeliveries(tx, deliveries, claim)
  await countApplied(tx, appliedOf(deliveries, made), partition)
  await markFannedOut(tx, events)
  await countEvents(tx, events, partition)
  const isLast = found.length < batchSize && events.length === found.length
  return { events, deliveries, made, isLast }
}

/** The events up to the first that the routes have not decided about: it came late, and those after it keep their order. */
function decidedOf(
  found: readonly PendingEvent[],
  decisions: RouteDecisions,
  { webhooksEnabled }: Settings,
): readonly PendingEvent[] {
  if (webhooksEnabled !== true) return found
  const end = found.findIndex((event) => decisions.of(event) === undefined)
  return end === -1 ? found : found.slice(0, end)
}

interface Making {
  accounts: ReadonlyMap<string, AccountTarget>
  settings: Settings
  decisions: RouteDecisions
}

function deliveriesOf(event: PendingEvent, making: Making): NewDelivery[] {
  const { accounts, settings, decisions } = making
  const account = accounts.get(event.account)
  const wanted = isWanted(
    { ...event, messageSpecialUse: messageSpecialUseOf(event, settings) },
    settings,
  )
  const target = wanted ? targetOf(event, account, settings) : undefined
  const chosen: { target: Target; body: string | null }[] = target ? [{ target, body: null }] : []
  for (const { route, body } of decisions.of(event) ?? []) {
    const target = routeTargetOf(event, { route, account, settings })
    if (target) chosen.push({ target, body })
  }
  return chosen.map(({ target, body }) => ({
    id: randomUUID(),
    event,
    target: target.name,
    lane: laneOf(target),
    claimed: false,
    body,
  }))
}

/** How often each route was applied by deliveries that are new. */
function appliedOf(
  deliveries: readonly NewDelivery[],
  made: ReadonlyMap<string, unknown>,
): Map<string, number> {
  const applied = new Map<string, number>()
  for (const { id, target } of deliveries)
    if (isRoute(target) && made.has(id)) applied.set(target, (applied.get(target) ?? 0) + 1)
  return applied
}

function reportFailures(
  events: readonly PendingEvent[],
  { failures }: RouteDecisions,
  { failed }: RouteChoice,
): void {
  if (failures.length === 0) return
  const ofEvent = Map.groupBy(failures, ({ eventRow }) => eventRow)
  const told = events.flatMap(({ id }) => ofEvent.get(id) ?? [])
  failed(told.map(({ eventRow: _eventRow, ...failure }) => failure))
}

/** A body that cannot be read has none: one bad event must not hold up the partition. */
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

/** The first of each lane are claimed, as many as there is room for. */
function markClaimed(
  deliveries: readonly NewDelivery[],
  room: (lane: string) => number,
): NewDelivery[] {
  const left = new Map<string, number>()
  return deliveries.map((delivery) => {
    const free = left.get(delivery.lane) ?? room(delivery.lane)
    left.set(delivery.lane, free - 1)
    return { ...delivery, claimed: free > 0 }
  })
}

function enqueueClaimed(
  { enqueue: take, overflowed }: FanOutDeps,
  deliveries: readonly NewDelivery[],
  made: ReadonlyMap<string, InsertedDelivery>,
): void {
  const left = deliveries.filter(({ id }) => made.get(id)?.claimed === false)
  for (const lane of new Set(left.map((delivery) => delivery.lane))) overflowed(lane)
  take(
    deliveries.flatMap(({ id, event, target, lane, body: mapped }) => {
      const { claimed = false, queuedAt } = made.get(id) ?? {}
      if (!claimed || !queuedAt) return []
      const { eventId, id: eventRow, date: eventDate, account, accountTarget } = event
      const own = mapped ?? event.body
      const body = own !== null && own.length <= maxInlineBody ? own : null
      return [
        {
          id,
          eventId,
          eventRow,
          eventDate,
          event: event.event,
          account,
          target,
          lane,
          attempts: 0,
          queuedAt,
          body,
          accountTarget,
          ordered: true,
        },
      ]
    }),
  )
}
