import type { Db } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { claimDueDeliveries, type ClaimOwner, findNextDueMs } from '../store/deliveries.ts'
import { type Backlog, pollMs } from './backlog.ts'
import type { ClaimLock } from './claim-lock.ts'
import type { InFlightDeliveries } from './in-flight-deliveries.ts'

export interface DuePollerOptions {
  db: Db
  owner: ClaimOwner
  lock: ClaimLock
  backlog: Backlog
  inFlight: Pick<InFlightDeliveries, 'paused' | 'capacity' | 'capacities' | 'enqueue'>
  log: Logger
}

/** Maximum rows of one poll, per lane and overall. */
const maxPerLane = 500
const maxRows = 1_000

/**
 * Claims due deliveries at the time they are due: retries, rows that exceeded the capacity, and
 * rows whose lease ended because their process died.
 */
export function startDuePoller(options: DuePollerOptions): AsyncDisposable {
  const { db, owner, lock, backlog, inFlight, log } = options

  /** Claims and enqueues. Returns the number of rows. */
  async function claimDue(endRead: ReturnType<Backlog['startRead']>): Promise<number> {
    const capacities = inFlight.capacities()
    // No lane has an empty name, so this is the capacity of a lane without deliveries.
    const perLane = Math.min(maxPerLane, inFlight.capacity(''))
    const limits = { perLane, overall: maxRows, capacities }
    const claimed = await claimDueDeliveries(db, owner, limits)
    const lanes = Map.groupBy(claimed, ({ lane }) => lane)
    endRead(lanes.keys(), (lane) => {
      const limit = Math.min(perLane, capacities.get(lane) ?? perLane)
      return (lanes.get(lane)?.length ?? 0) >= limit
    })
    inFlight.enqueue(claimed)
    return claimed.length
  }

  const task = runPeriodically({ everyMs: pollMs, log, name: 'poll-due' }, async (signal) => {
    if (inFlight.paused) return
    const endRead = backlog.startRead()
    const nextMs = await findNextDueMs(db)
    if (signal.aborted || nextMs === undefined || nextMs > 0) {
      endRead([], () => false)
      if (nextMs !== undefined && nextMs < pollMs) backlog.pollIn(nextMs)
      return
    }
    if ((await lock.exclusive(() => claimDue(endRead))) >= maxRows) task.wake()
  })
  backlog.onPoll = () => task.wake()
  return {
    async [Symbol.asyncDispose]() {
      backlog.stop()
      await task[Symbol.asyncDispose]()
    },
  }
}
