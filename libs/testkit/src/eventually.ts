import { setTimeout as delay } from 'node:timers/promises'

/**
 * Repeats a check until it neither throws nor rejects nor returns `false` or `null`. Resolves with
 * the value of the check. A check without a value, such as a block of `expect`s, succeeds when it
 * ends. The default timeout covers a retry with a backoff of 60 s and the pauses of a busy machine.
 * @throws Error after the timeout, with the message of the last failure, which is its cause
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 90_000 }: { timeoutMs?: number } = {},
): Promise<Exclude<T, false | null>> {
  const start = Date.now()
  const deadline = start + timeoutMs
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 1.4, longestWait(Date.now() - start))) {
    try {
      const value = await check()
      if (value !== false && value !== null) return value as Exclude<T, false | null>
      throw new Error(`the check returned ${String(value)}`)
    } catch (cause) {
      if (Date.now() >= deadline) throw timeoutError(timeoutMs, cause)
    }
    await delay(Math.min(waitMs, Math.max(1, deadline - Date.now())))
  }
}

/**
 * Longest wait between two checks, in milliseconds: 5 % of the time since the first check, at least
 * 200 ms and at most 500 ms. Later checks are less frequent, because a failed check costs CPU time:
 * Jest formats the difference of the values.
 */
function longestWait(waitedMs: number): number {
  return Math.min(Math.max(200, waitedMs / 20), 500)
}

function timeoutError(timeoutMs: number, cause: unknown): Error {
  const last = cause instanceof Error ? cause.message : String(cause)
  return new Error(`timeout after ${timeoutMs} ms, last failure: ${last}`, { cause })
}
