import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { beginAttempts, type ClaimOwner, type ClaimedDelivery } from '../store/deliveries.ts'
import { batch } from './batch.ts'
import { persist } from './persist.ts'

type Counted = Pick<ClaimedDelivery, 'id' | 'attempts'>

/** Counts attempts before they are made. */
export interface AttemptCounter {
  /** The number of the attempt that may be made now; undefined: the delivery is not this process's any more. */
  begin(delivery: Counted, signal: AbortSignal): Promise<number | undefined>
  /** Counts the first attempts of what will have its turn soon, so that no call waits for the commit. At most one statement a lane at a time. */
  precount(lane: string, find: () => readonly Counted[]): void
  /** Whether an attempt is counted, or being counted, that was not begun. It is forgotten. */
  cancelPrecount(id: string): Promise<boolean>
  /** Resolves when nothing is being counted ahead. */
  drain(): Promise<unknown>
}

/**
 * Only first attempts are counted ahead: a process that dies costs a delivery that it had not called one of its ten attempts at most,
 * however many processes die.
 *
 * What was counted ahead is good for as long as the claim was seen to hold: a process that wakes up after its lease finds out before
 * it calls anybody.
 */
export function createAttemptCounter(deps: {
  db: Db
  claim: ClaimOwner
  log: Logger
}): AttemptCounter {
  const { db, claim, log } = deps
  const goodMs = claim.leaseMs / 3
  const ahead = new Map<string, number>() // until when
  const running = new Map<string, { ids: ReadonlySet<string>; done: Promise<void> }>()
  const count = batch<Counted, number | undefined>({
    max: 100,
    waitMs: 0,
    async work(deliveries) {
      const begun = await beginAttempts(db, deliveries, { self: claim.id, holdsMs: 0 })
      return deliveries.map(({ id }) => begun.get(id))
    },
  })

  async function run(lane: string, deliveries: readonly Counted[]): Promise<void> {
    const until = performance.now() + goodMs
    try {
      const counted = await beginAttempts(db, deliveries, { self: claim.id, holdsMs: goodMs })
      for (const id of counted.keys()) ahead.set(id, until)
    } catch (error) {
      log.debug({ reason: messageOf(error) }, 'attempts could not be counted ahead')
    } finally {
      running.delete(lane)
    }
  }

  async function counting(id: string): Promise<void> {
    for (const { ids, done } of running.values()) if (ids.has(id)) await done
  }

  return {
    async begin(delivery, signal) {
      const { id, attempts } = delivery
      await counting(id)
      const until = ahead.get(id)
      if (until !== undefined && until > performance.now()) {
        ahead.delete(id)
        return attempts + 1
      }
      const counted = await persist(() => count(delivery), { signal, log })
      ahead.delete(id)
      return counted
    },
    precount(lane, find) {
      if (running.has(lane)) return
      const upcoming = find()
      const wanted = upcoming.filter(({ id, attempts }) => attempts === 0 && !ahead.has(id))
      if (wanted.length === 0 || wanted.length < upcoming.length / 2) return
      const ids = new Set(wanted.map(({ id }) => id))
      running.set(lane, { ids, done: run(lane, wanted) })
    },
    async cancelPrecount(id) {
      await counting(id)
      return ahead.delete(id)
    },
    drain: () => Promise.all([...running.values()].map(({ done }) => done)),
  }
}
