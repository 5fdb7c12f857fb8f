import {
  inBatches,
  type NewEvent,
  publishEvents,
  recordEvents,
  type RecordedEvent,
  type Tx,
} from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Deps } from '../deps.ts'
import type { AccountLease } from '../store/lease.ts'
import { type HeldStanding, lockStandings } from '../store/states.ts'

/** One account's write: what it is about, and how the account is doing. */
export interface Held<Item> {
  readonly item: Item
  readonly standing: HeldStanding
}

/** What became of an item, and what is to be told of it. */
export interface Written<Result> {
  readonly result: Result
  readonly events: readonly NewEvent[]
}

/** Writes items, all of different accounts, in as many statements as one would take. One outcome each, in their order. */
export type WriteTogether<Item, Result> = (
  tx: Tx,
  held: readonly Held<Item>[],
) => Promise<Written<Result>[]>

/** Accounts a transaction. */
const atOnce = 50

type Outcome<Result> = { result: Result; published: Promise<void> } | 'busy' | 'stale'

/**
 * As `commit`, for small writes that thousands of accounts do when a worker starts: those that come while a transaction is under way go
 * together in the next one. An account that somebody else has locked keeps no other waiting: it gets a transaction of its own.
 *
 * @throws AppError `stale`: see `withLease`
 */
export function commitTogether<Item extends { lease: AccountLease }, Result>(
  deps: Pick<Deps, 'db' | 'bus' | 'settings' | 'metrics' | 'published'>,
  write: WriteTogether<Item, Result>,
): (item: Item) => Promise<Result> {
  const run = inBatches<Item, Outcome<Result>>(
    (items) => runAll(deps, write, { items, wait: false }),
    { max: atOnce },
  )
  return async (item) => {
    let outcome: Outcome<Result> | undefined = await run(item)
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
  { db, bus, settings, metrics, published: mark }: Parameters<typeof commitTogether>[0],
  write: WriteTogether<Item, Result>,
  { items, wait }: { items: readonly Item[]; wait: boolean },
): Promise<Outcome<Result>[]> {
  const { serviceUrl = null } = await settings.get()
  const recorded: RecordedEvent[] = []
  const done = await db.transaction().execute(async (tx) => {
    // Of an account that is here twice the first counts; its others come after it.
    const first = new Map(items.map((item) => [item.lease.account, item] as const).toReversed())
    const leases = [...first.values()].map(({ lease }) => lease)
    const standings = await lockStandings(tx, leases, { wait })
    const held = [...standings].flatMap(([account, standing]) => {
      const item = first.get(account)
      return item ? [{ item, standing }] : []
    })
    if (held.length === 0) return new Map<Item, Written<Result>>()
    const written = await write(tx, held)
    const events = written.flatMap((each) => each.events)
    recorded.push(...(await recordEvents(tx, events, serviceUrl)))
    return new Map(held.map(({ item }, at) => [item, written[at] as Written<Result>]))
  })
  metrics.recorded(recorded)
  return items.map((item) => {
    const written = done.get(item)
    if (!written) return wait ? 'stale' : 'busy'
    const ids = new Set(written.events.map(({ eventId }) => eventId))
    const events = recorded.filter(({ eventId }) => ids.has(eventId))
    const published = publishEvents(mark, (message) => bus.publishEvent(message), events)
    return { result: written.result, published }
  })
}
