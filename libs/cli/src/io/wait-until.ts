import { setTimeout as delay } from 'node:timers/promises'

/** Pause between two requests to the API for a state that a command waits for. */
const pollMs = 1_000

/** Options of waiting for a state of the API. */
export interface WaitOptions {
  signal: AbortSignal
  /** Pause between two polls of the API. Default 1 s. */
  everyMs?: number
}

/**
 * Calls `poll` repeatedly, such as a request for the state of an export, until it returns a value.
 */
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
