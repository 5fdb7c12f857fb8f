import {
  type NewEvent,
  publishEvents,
  recordEvents,
  type RecordedEvent,
  type Tx,
} from '@posthorn/db'
import type { Deps } from '../deps.ts'
import { type AccountLease, withLease } from '../store/lease.ts'

/** Adds events to the transaction. */
export type RecordEvents = (events: readonly NewEvent[]) => Promise<void>

/**
 * State and the events that tell of it in one transaction under the lease; then the events are published. While the broker is away they
 * stay unpublished in Postgres, where the sweep finds them.
 *
 * @throws AppError `stale`: see `withLease`
 */
export async function commit<T>(
  {
    db,
    bus,
    settings,
    metrics,
    markPublished: mark,
  }: Pick<Deps, 'db' | 'bus' | 'settings' | 'metrics' | 'markPublished'>,
  lease: AccountLease,
  work: (tx: Tx, record: RecordEvents) => Promise<T>,
): Promise<T> {
  // Read first: inside the transaction it could wait for a connection that only other transactions give back.
  const { serviceUrl = null } = await settings.get()
  const recorded: RecordedEvent[] = []
  const result = await withLease(db, lease, (tx) =>
    work(tx, async (events) => {
      recorded.push(...(await recordEvents(tx, events, serviceUrl)))
    }),
  )
  metrics.eventsRecorded(recorded)
  const published = publishEvents(mark, (message) => bus.publishEvent(message), recorded)
  // Waiting keeps us from running ahead of the broker; one that is away must not hold up the work.
  if (bus.up) await published
  return result
}
