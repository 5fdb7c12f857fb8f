import { randomUUID } from 'node:crypto'
import type { Settings } from '@posthorn/contracts'
import { type Db, readSettings, type Tx } from '@posthorn/db'
import { listAccountTargets } from '../store/accounts.ts'
import { countEvents } from '../store/counts.ts'
import {
  type Claim,
  type ClaimedDelivery,
  insertDeliveries,
  type NewDelivery,
} from '../store/deliveries.ts'
import {
  listPendingEvents,
  lockPartition,
  markFannedOut,
  maxInlineBody,
  type PendingEvent,
} from '../store/events.ts'
import { type AccountTarget, isWanted, laneOf, targetOf } from '../targets/target.ts'

export interface FanOutDeps {
  db: Db
  claim: Claim
  /** How many more of a lane this process can take in hand. */
  room: (lane: string) => number
  /** Given deliveries that were made and claimed, once that is committed. In the order of their events. */
  take: (deliveries: ClaimedDelivery[]) => void
  /** Told of events, once it is committed that they are fanned out. */
  fannedOut: (events: readonly PendingEvent[]) => void
  /** Told of lanes whose deliveries were made and left for whoever has room. */
  overflowed: (lane: string) => void
}

/** Events of one transaction. */
const batchSize = 500

/**
 * Turns a partition's events into deliveries, until none is left: one transaction makes the rows and marks the events, so that each
 * event is fanned out once, whatever dies in between. Targets, settings and accounts are those of that moment.
 */
export function fanOut(deps: FanOutDeps): (partition: number) => Promise<void> {
  return async (partition) => {
    for (;;) {
      const { events, deliveries, queuedAt } = await deps.db
        .transaction()
        .execute((tx) => fanOutBatch(tx, partition, deps))
      hand(deps, deliveries, queuedAt)
      deps.fannedOut(events)
      if (events.length < batchSize) return
    }
  }
}

async function fanOutBatch(tx: Tx, partition: number, { claim, room }: FanOutDeps) {
  await lockPartition(tx, partition)
  const settings = await readSettings(tx)
  const whole = settings.inboxNewOnly === true ? 'messageNew' : null
  const events = await listPendingEvents(tx, { partition, limit: batchSize, whole })
  const accounts = await listAccountTargets(tx, [...new Set(events.map(({ account }) => account))])
  const deliveries = withRoom(deliveriesOf(events, accounts, settings), room)
  const queuedAt = await insertDeliveries(tx, deliveries, claim)
  await markFannedOut(tx, events)
  await countEvents(tx, events, partition)
  return { events, deliveries, queuedAt }
}

function deliveriesOf(
  events: readonly PendingEvent[],
  accounts: ReadonlyMap<string, AccountTarget>,
  settings: Settings,
): NewDelivery[] {
  return events.flatMap((event) => {
    const wanted = isWanted(
      { ...event, messageSpecialUse: messageSpecialUseOf(event, settings) },
      settings,
    )
    const target = wanted ? targetOf(event, accounts.get(event.account), settings) : undefined
    return target
      ? [{ id: randomUUID(), event, target: target.name, lane: laneOf(target), claimed: false }]
      : []
  })
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
function withRoom(
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

function hand(
  { take, overflowed }: FanOutDeps,
  deliveries: readonly NewDelivery[],
  queuedAt: ReadonlyMap<string, Date>,
): void {
  for (const lane of new Set(
    deliveries.filter(({ claimed }) => !claimed).map((delivery) => delivery.lane),
  ))
    overflowed(lane)
  take(
    deliveries.flatMap(({ id, event, lane, claimed }) => {
      const queued = queuedAt.get(id)
      if (!claimed || !queued) return []
      const { eventId, id: eventRow, date: eventDate, account, accountTarget } = event
      const body = event.body !== null && event.body.length <= maxInlineBody ? event.body : null
      return [
        {
          id,
          eventId,
          eventRow,
          eventDate,
          event: event.event,
          account,
          lane,
          attempts: 0,
          queuedAt: queued,
          body,
          accountTarget,
        },
      ]
    }),
  )
}
