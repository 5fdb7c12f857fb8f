import type { Bus } from '@posthorn/bus'
import {
  type Db,
  batchStatements,
  type EventRow,
  markPublished,
  type MarkPublished,
  type NewEvent,
  publishEvents,
  recordEvents,
  type RecordedEvent,
  type SettingsCache,
  type Tx,
} from '@posthorn/db'
import type { WorkerMetrics } from '../metrics.ts'
import { type LockedAccountStatus, lockAccountStatuses } from '../store/account-status.ts'
import { type AccountLease, staleLeaseError, withLease } from '../store/lease.ts'

/** Dependencies of transactions that write an account's data and record events. */
export interface CommitDeps {
  readonly db: Db
  readonly bus: Pick<Bus, 'up' | 'publishEvent'>
  readonly settings: Pick<SettingsCache, 'get'>
  readonly metrics: Pick<WorkerMetrics, 'eventsRecorded'>
  readonly markPublished: MarkPublished
}

/** Records events in the same transaction as the data that the caller writes. */
export type RecordEvents = (events: readonly NewEvent[]) => Promise<void>

/**
 * Writes the state of an account and events in one transaction under the lease, then publishes the
 * events. While RabbitMQ is unavailable, events stay unpublished in Postgres until the sweep finds
 * them.
 *
 * @throws AppError `stale`: see `withLease`
 */
export async function commit<T>(
  deps: CommitDeps,
  lease: AccountLease,
  work: (tx: Tx, record: RecordEvents) => Promise<T>,
): Promise<T> {
  // The settings are read before the transaction starts. A read inside the transaction could wait
  // for a pooled connection that only other transactions release.
  const { serviceUrl = null } = await deps.settings.get()
  const recorded: RecordedEvent[] = []
  const result = await withLease(deps.db, lease, (tx) =>
    work(tx, async (events) => {
      recorded.push(...(await recordEvents(tx, events, serviceUrl)))
    }),
  )
  deps.metrics.eventsRecorded(recorded)
  await publishIfConnected(deps, publish(deps, recorded))
  return result
}

function publish({ bus, markPublished }: CommitDeps, events: RecordedEvent[]): Promise<void> {
  return publishEvents(markPublished, (message) => bus.publishEvent(message), events)
}

/** Creates the function that marks the events of several commits as published, in one statement. */
export function batchMarkPublished(db: Db): MarkPublished {
  const mark = batchStatements(async (batches: (readonly EventRow[])[]) => {
    await markPublished(db, batches.flat())
    return batches
  })
  return async (events) => void (await mark(events))
}

/**
 * Waits until RabbitMQ confirms published events, so that syncs do not publish faster than RabbitMQ
 * accepts. Does not wait while RabbitMQ is unavailable, because syncs continue then.
 */
async function publishIfConnected({ bus }: CommitDeps, published: Promise<void>): Promise<void> {
  if (bus.up) await published
}

/**
 * Item of a batch of writes for several accounts. The row and the shard of the item's account are
 * locked.
 */
export interface LockedItem<Item> {
  readonly item: Item
  readonly status: LockedAccountStatus
}

/** Result of writing one item of a batch of writes, and the events to record. */
export interface WriteResult<Result> {
  readonly result: Result
  readonly events: readonly NewEvent[]
}

/**
 * Writes items of different accounts. The number of statements does not depend on the number of
 * items. Returns the results in the order of the items.
 */
export type WriteBatch<Item, Result> = (
  tx: Tx,
  items: readonly LockedItem<Item>[],
) => Promise<WriteResult<Result>[]>

/** Maximum accounts whose writes share one transaction. */
const maxItems = 50

type BatchOutcome<Result> = { result: Result; published: Promise<void> } | 'busy' | 'stale'

/**
 * Variant of `commit` for small writes that thousands of accounts do when a worker starts. Writes
 * that are requested during a transaction share the next transaction. An account with a locked row
 * delays no other account and gets a transaction of its own.
 *
 * @throws AppError `stale`: see `withLease`
 */
export function commitBatched<Item extends { lease: AccountLease }, Result>(
  deps: CommitDeps,
  write: WriteBatch<Item, Result>,
): (item: Item) => Promise<Result> {
  const add = batchStatements<Item, BatchOutcome<Result>>(
    (items) => commitItems(deps, write, { items, wait: false }),
    { max: maxItems },
  )
  return async (item) => {
    let outcome: BatchOutcome<Result> | undefined = await add(item)
    if (outcome === 'busy')
      [outcome] = await commitItems(deps, write, { items: [item], wait: true })
    if (outcome === undefined || outcome === 'busy' || outcome === 'stale')
      throw staleLeaseError(item.lease)
    await publishIfConnected(deps, outcome.published)
    return outcome.result
  }
}

async function commitItems<Item extends { lease: AccountLease }, Result>(
  deps: CommitDeps,
  write: WriteBatch<Item, Result>,
  { items, wait }: { items: readonly Item[]; wait: boolean },
): Promise<BatchOutcome<Result>[]> {
  const { db, settings, metrics } = deps
  const { serviceUrl = null } = await settings.get()
  const recorded: RecordedEvent[] = []
  const written = await db.transaction().execute(async (tx) => {
    // The first write of each account in a batch is executed now. Further writes of the account are
    // reported as busy and executed later.
    const first = new Map(items.map((item) => [item.lease.account, item] as const).toReversed())
    const leases = [...first.values()].map(({ lease }) => lease)
    const statuses = await lockAccountStatuses(tx, leases, { wait })
    const locked = [...statuses].flatMap(([account, status]) => {
      const item = first.get(account)
      return item ? [{ item, status }] : []
    })
    if (locked.length === 0) return new Map<Item, WriteResult<Result>>()
    const results = await write(tx, locked)
    const events = results.flatMap((result) => result.events)
    recorded.push(...(await recordEvents(tx, events, serviceUrl)))
    return new Map(locked.map(({ item }, at) => [item, results[at] as WriteResult<Result>]))
  })
  metrics.eventsRecorded(recorded)
  return items.map((item) => {
    const own = written.get(item)
    if (!own) return wait ? 'stale' : 'busy'
    const ids = new Set(own.events.map(({ eventId }) => eventId))
    const events = recorded.filter(({ eventId }) => ids.has(eventId))
    return { result: own.result, published: publish(deps, events) }
  })
}
