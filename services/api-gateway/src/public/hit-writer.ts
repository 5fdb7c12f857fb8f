import { messageOf } from '@posthorn/errors'
import { settleWithin, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'

export interface HitWriterOptions<T> {
  write: (batch: readonly T[]) => Promise<void>
  log: Logger
  /**
   * True if an error of writing a batch of hits (opens and clicks) means that retrying the batch
   * cannot succeed.
   */
  isPermanentError: (error: unknown) => boolean
  /** Called with the hits (opens and clicks) that were dropped. */
  onLost: (hits: readonly T[]) => void
  /** Delay before the failed write of a batch of hits (opens and clicks) is retried. */
  retryMs?: number
  maxWaiting?: number
}

export interface HitWriter<T> extends AsyncDisposable {
  /** Enqueues a hit (open or click) without waiting. False if the queue is full. */
  add(hit: T): boolean
}

const maxBatch = 200
/**
 * Timeout of the last write of hits (opens and clicks) at shutdown, well below the 10 s in which
 * the process must stop.
 */
const shutdownTimeoutMs = 3_000

/**
 * Creates a writer that stores hits (opens and clicks) in batches after the HTTP responses. A
 * failed batch is retried until it is stored; during an outage of Postgres, hits wait in the queue.
 * Disposal writes the waiting hits once more and drops hits that cannot be written.
 */
export function createHitWriter<T>(options: HitWriterOptions<T>): HitWriter<T> {
  const { write, isPermanentError, log, onLost, retryMs = 1_000, maxWaiting = 5_000 } = options
  const waiting: T[] = []
  const stop = new AbortController()
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch)
      try {
        await write(batch)
        waiting.splice(0, batch.length)
      } catch (error) {
        if (isPermanentError(error)) {
          waiting.splice(0, batch.length)
          log.error({ err: error, hits: batch.length }, 'link hits rejected by Postgres')
          onLost(batch)
          continue
        }
        if (stop.signal.aborted) return
        log.warn(
          { reason: messageOf(error), waiting: waiting.length },
          'hit write failed, will retry',
        )
        await sleep(retryMs, stop.signal).catch(() => undefined)
      }
    }
  }

  return {
    add(hit) {
      if (stop.signal.aborted || waiting.length >= maxWaiting) return false
      waiting.push(hit)
      running ??= run().finally(() => (running = undefined))
      return true
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      const lastWrite = (running ?? Promise.resolve()).then(() => run())
      await settleWithin(lastWrite, shutdownTimeoutMs)
      if (waiting.length > 0) onLost(waiting)
    },
  }
}
