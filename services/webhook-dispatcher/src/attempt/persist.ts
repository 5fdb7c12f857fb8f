import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'

const firstWaitMs = 100
const lastWaitMs = 2_000

/**
 * Tries until it works: for what can only fail because Postgres or auth-bridge is away, of which the loops of the service speak loudly
 * enough. Rejects when the signal aborts.
 */
export async function persist<T>(
  work: () => Promise<T>,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<T> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, lastWaitMs)) {
    signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      log.debug(
        { reason: messageOf(error) },
        'Postgres or auth-bridge did not take it; trying again',
      )
    }
    await delay(waitMs, undefined, { signal })
  }
}
