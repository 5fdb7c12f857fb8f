import type { Bus } from '@posthorn/bus'
import { type Db, isQueuePaused } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { runPeriodically } from '@posthorn/flow'

export interface QueuePauseOptions {
  db: Db
  bus: Pick<Bus, 'onInvalidate'>
  log: Logger
  /** Name of the work queue that operators pause, as in the API: `submit` or `notify`. */
  queue: string
  /** Called with the new state when an operator pauses or resumes the work queue. */
  onChange?: (paused: boolean) => void
}

/** State of a work queue: whether an operator has paused the queue. */
export interface QueuePause extends AsyncDisposable {
  readonly paused: boolean
}

/**
 * Interval at which it is read whether a work queue is paused. If the broadcast about a change is
 * lost, the change takes effect after at most this time.
 */
const everyMs = 500

/**
 * Observes whether a work queue is paused. Resolves after the state was read for the first time.
 * While Postgres is unavailable, the state that was read last applies.
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
