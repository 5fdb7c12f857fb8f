import { setTimeout as delay } from 'node:timers/promises'

/** Pause between two requests for a state that a command waits for. */
const pollMs = 1_000

/** Options of a wait. */
export interface WaitOptions {
  signal: AbortSignal
  /** Default 1 s. */
  everyMs?: number
}

/** Calls `poll` until `poll` returns a value. */
export async function waitUntil<T>(
  poll: () => Promise<T | undefined>,
  { signal, everyMs = pollMs }: WaitOptions,
): Promise<T> {
  for (;;) {
    const value = await poll()
    if (value !== undefined) return value
    await delay(everyMs, undefined, { signal })
  }
}
