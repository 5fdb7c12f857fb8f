import {
  batchStatements,
  type NewEvent,
  publishEvents,
  recordEvents,
  type RecordedEvent,
  type Tx,
} from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Deps } from '../deps.ts'
import type { AccountLease } from '../store/lease.ts'
import { type LockedAccountStatus, lockAccountStatuses } from '../store/account-states.ts'

/** One account's write: what it is about, and how the account is doing. */
export interface LockedItem<Item> {
  readonly item: Item
  readonly status: LockedAccountStatus
}

/** What became of an item, and what is to be told of it. */
export interface WriteResult<Result> {
  readonly result: Result
  readonly events: readonly NewEvent[]
}

/** Writes items, all of different accounts, in as many statements as one would take. One outcome each, in their order. */
export type WriteBatch<Item, Result> = (
  tx: Tx,
  held: readonly LockedItem<Item>[],
) => Promise<WriteResult<Result>[]>

/** Accounts a transaction. */
const atOnce = 50

type BatchOutcome<Result> = { result: Result; published: Promise<void> } | 'busy' | 'stale'

/**
 * As `commit`, for small writes that thousands of accounts do when a worker starts: those that come while a transaction is under way go
 * together in the next one. An account that somebody else has locked keeps no other waiting: it gets a transaction of its own.
 *
 * @throws AppError `stale`: see `withLease`
 */
export function commitBatched<Item extends { lease: AccountLease }, Result>(
  deps: Pick<Deps, 'db' | 'bus' | 'settings' | 'metrics' | 'markPublished'>,
  write: WriteBatch<Item, Result>,
): (item: Item) => Promise<Result> {
  const run = batchStatements<Item, BatchOutcome<Result>>(
    (items) => runAll(deps, write, { items, wait: false }),
    { max: atOnce },
  )
  return async (item) => {
    let outcome: BatchOutcome<Result> | undefined = await run(item)
    if (outcome === 'busy') [outcome] = await runAll(deps, write, { items: [item], wait: true })
    if (outcome === undefined || outcome === 'busy' || outcome === 'stale') {
      const { shard, account } = item.lease
      throw new AppError('stale', `The lease of shard ${shard} is lost, or ${account} is deleted`)
    }
    // Waiting keeps us from running ahead of the broker; one that is away must not hold up the work.
    if (deps.bus.up) await outcome.published
    return outcome.result
  }
}

async function runAll<Item extends { lease: AccountLease }, Result>(
  { db, bus, settings, metrics, markPublished: mark }: Parameters<typeof commitBatched>[0],
  write: WriteBatch<Item, Result>,
  { items, wait }: { items: readonly Item[]; wait: boolean },
): Promise<BatchOutcome<Result>[]> {
  const { serviceUrl = null } = await settings.get()
  const recorded: RecordedEvent[] = []
  const done = await db.transaction().execute(async (tx) => {
    // Of an account that is here twice the first counts; its others come after it.
    const first = new Map(items.map((item) => [item.lease.account, item] as const).toReversed())
    const leases = [...first.values()].map(({ lease }) => lease)
    const statuses = await lockAccountStatuses(tx, leases, { wait })
    const held = [...statuses].flatMap(([account, status]) => {
      const item = first.get(account)
      return item ? [{ item, status }] : []
    })
    if (held.length === 0) return new Map<Item, WriteResult<Result>>()
    const written = await write(tx, held)
    const events = written.flatMap((each) => each.events)
    recorded.push(...(await recordEvents(tx, events, serviceUrl)))
    return new Map(held.map(({ item }, at) => [item, written[at] as WriteResult<Result>]))
  })
  metrics.eventsRecorded(recorded)
  return items.map((item) => {
    const written = done.get(item)
    if (!written) return wait ? 'stale' : 'busy'
    const ids = new Set(written.events.map(({ eventId }) => eventId))
    const events = recorded.filter(({ eventId }) => ids.has(eventId))
    const published = publishEvents(mark, (message) => bus.publishEvent(message), events)
    return { result: written.result, published }
  })
}
