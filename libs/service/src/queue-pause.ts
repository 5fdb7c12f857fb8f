import type { Bus } from '@posthorn/bus'
import { type Db, isQueuePaused } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { runPeriodically } from '@posthorn/flow'

export interface QueuePauseOptions {
  db: Db
  bus: Pick<Bus, 'onInvalidate'>
  log: Logger
  /** Name of the work queue in the API: `submit` or `notify`. */
  queue: string
  /** Called when an operator pauses or resumes the queue. */
  onChange?: (paused: boolean) => void
}

/** Pause state of a work queue, set by an operator. */
export interface QueuePause extends AsyncDisposable {
  readonly paused: boolean
}

/**
 * Interval at which the pause state is read: maximum delay of a change if its invalidation is lost.
 */
const everyMs = 500

/**
 * Tracks whether a work queue is paused. Resolves after the first read. While Postgres is
 * unavailable, the last pause state that was read remains.
 */
export async function watchQueuePause({
  db,
  bus,
  log,
  queue,
  onChange,
}: QueuePauseOptions): Promise<QueuePause> {
  await using stack = new AsyncDisposableStack()
  let paused = await isQueuePaused(db, queue)
  const loop = stack.use(
    runPeriodically({ everyMs, log, name: `pause of ${queue}` }, async () => {
      const now = await isQueuePaused(db, queue)
      if (now === paused) return
      paused = now
      log.info({ queue, paused }, paused ? 'queue paused' : 'queue resumed')
      onChange?.(paused)
    }),
  )
  stack.use(await bus.onInvalidate(({ topic }) => void (topic === 'settings' && loop.wake())))
  const watch = stack.move()
  return {
    get paused() {
      return paused
    },
    [Symbol.asyncDispose]: () => watch.disposeAsync(),
  }
}
