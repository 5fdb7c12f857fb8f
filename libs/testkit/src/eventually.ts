import { setTimeout as delay } from 'node:timers/promises'

export interface EventuallyOptions {
  /** Default 30,000: a busy machine may need most of it, and a test that succeeds waits for none of it. */
  timeoutMs?: number
}

/**
 * Waits until the check neither throws nor rejects nor gives `false` or `null`; resolves with what it gave. A check that gives nothing,
 * such as a block of `expect`s, is content when it ends.
 *
 * @throws with the message of the last failure, which is its cause, when the time is up.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 30_000 }: EventuallyOptions = {},
): Promise<Exclude<T, false | null>> {
  const deadline = Date.now() + timeoutMs
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 1.4, 200)) {
    try {
      const value = await check()
      if (value !== false && value !== null) return value as Exclude<T, false | null>
      throw new Error(`the check gave ${String(value)}`)
    } catch (cause) {
      if (Date.now() >= deadline) throw timeoutError(timeoutMs, cause)
    }
    await delay(Math.min(waitMs, Math.max(1, deadline - Date.now())))
  }
}

function timeoutError(timeoutMs: number, cause: unknown): Error {
  const last = cause instanceof Error ? cause.message : String(cause)
  return new Error(`not within ${timeoutMs} ms; the last failure: ${last}`, { cause })
}
