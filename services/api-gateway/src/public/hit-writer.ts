import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'

export interface HitWriterOptions<T> {
  write: (batch: readonly T[]) => Promise<void>
  log: Logger
  /** Whether trying again is pointless, for what is wrong is the batch itself. */
  isPermanentError: (error: unknown) => boolean
  /** Told how many were given up. */
  onLost: (count: number) => void
  /** Before a batch that failed is tried again. */
  retryMs?: number
  maxWaiting?: number
}

export interface HitWriter<T> extends AsyncDisposable {
  /** Never waits. False when there is no room. */
  add(hit: T): boolean
}

const maxBatch = 200
/** Of a stopping process: it may take ten seconds in all. */
const partingMs = 3_000

/**
 * Writes hits behind the answers, in batches, and again until it works: Postgres may be away for as long as there is room. When the
 * process stops what waits is written once more; only what cannot be written then is lost.
 */
export function createHitWriter<T>(options: HitWriterOptions<T>): HitWriter<T> {
  const {
    write,
    isPermanentError: isHopeless,
    log,
    onLost: lost,
    retryMs = 1_000,
    maxWaiting = 5_000,
  } = options
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
        if (isHopeless(error)) {
          waiting.splice(0, batch.length)
          log.error({ err: error }, 'hits can not be written')
          lost(batch.length)
          continue
        }
        if (stop.signal.aborted) return
        log.warn({ reason: messageOf(error), waiting: waiting.length }, 'hits are not written yet')
        await delay(retryMs, undefined, { signal: stop.signal }).catch(() => undefined)
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
      const late = new AbortController()
      await Promise.race([
        (running ?? Promise.resolve()).then(() => run()),
        delay(partingMs, undefined, { signal: late.signal }).catch(() => undefined),
      ])
      late.abort()
      if (waiting.length > 0) lost(waiting.length)
    },
  }
}
