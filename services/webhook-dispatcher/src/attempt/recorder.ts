import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import type { ClaimOwner } from '../store/deliveries.ts'
import { type DeliveryResult, recordResults } from '../store/results.ts'
import { batch } from './batch.ts'
import { persist } from './persist.ts'

export interface RecorderOptions {
  db: Db
  claim: ClaimOwner
  /** Told when a delivery will be due again, in so many milliseconds. */
  dueIn: (ms: number) => void
  log: Logger
}

export interface Recorder {
  /** Resolves when it is recorded, or when that was given up. Never rejects: what cannot be recorded is left to its lease. */
  record(result: DeliveryResult): Promise<void>
  /** The recording of a delivery that is under way. */
  pending(id: string): Promise<void> | undefined
  drain(): Promise<unknown>
}

/** Records results in batches, and goes on trying while Postgres is away, until the signal aborts. */
export function createRecorder(
  { db, claim, dueIn, log }: RecorderOptions,
  signal: AbortSignal,
): Recorder {
  const underWay = new Map<string, Promise<void>>()
  const write = batch<DeliveryResult, undefined>({
    max: 100,
    waitMs: 10,
    async work(results) {
      await persist(() => recordResults(db, results, claim.id), { signal, log })
      for (const { state, waitMs } of results) if (state === 'due') dueIn(waitMs)
      return results.map(() => undefined)
    },
  })
  return {
    record(result) {
      const done = write(result)
        .catch((err: unknown) =>
          log.error({ err, id: result.id, state: result.state }, 'a result could not be recorded'),
        )
        .then(() => void underWay.delete(result.id))
      underWay.set(result.id, done)
      return done
    },
    pending: (id) => underWay.get(id),
    drain: () => Promise.all(underWay.values()),
  }
}
