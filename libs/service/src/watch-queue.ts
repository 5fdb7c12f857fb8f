import type { Bus } from '@posthorn/bus'
import { type Db, isQueuePaused } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { runPeriodically } from '@posthorn/flow'

export interface WatchQueueOptions {
  db: Db
  bus: Pick<Bus, 'onInvalidate'>
  log: Logger
  queue: string
  /** Told whenever it is paused, or goes on. */
  onChange?: (paused: boolean) => void
}

/** Whether a queue's work is stopped. */
export interface WatchedQueue extends AsyncDisposable {
  readonly paused: boolean
}

/** An invalidation is faster; without one a process is at most this late. */
const everyMs = 500

/**
 * Keeps in mind whether a queue is paused. Resolves when it is known for the first time; while Postgres does not answer, what was known
 * last holds.
 */
export async function watchQueue({
  db,
  bus,
  log,
  queue,
  onChange,
}: WatchQueueOptions): Promise<WatchedQueue> {
  await using opened = new AsyncDisposableStack()
  let paused = await isQueuePaused(db, queue)
  const loop = opened.use(
    runPeriodically({ everyMs, log, name: `pause of ${queue}` }, async () => {
      const now = await isQueuePaused(db, queue)
      if (now === paused) return
      paused = now
      log.info({ queue, paused }, paused ? 'the queue is paused' : 'the queue goes on')
      onChange?.(paused)
    }),
  )
  opened.use(await bus.onInvalidate(({ topic }) => void (topic === 'settings' && loop.wake())))
  const watching = opened.move()
  return {
    get paused() {
      return paused
    },
    [Symbol.asyncDispose]: () => watching.disposeAsync(),
  }
}
