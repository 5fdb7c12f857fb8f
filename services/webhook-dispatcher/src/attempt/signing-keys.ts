import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'

export interface SigningKeyCache<T> {
  /** The keys of the signatures. Waits until it can be had; rejects when the signal aborts. */
  get(signal: AbortSignal): Promise<T>
  /** It may have changed: asked for again before it is used the next time. */
  invalidate(): void
}

export interface SigningKeyCacheOptions<T> {
  fetch: () => Promise<T>
  log: Logger
  /** Between two tries at asking. */
  retryMs?: number
}

/** Changes are broadcast; this is for when a broadcast got lost. */
const freshMs = 60_000

/**
 * The service secret and what else signs, asked of auth-bridge and kept in memory. One that is known goes on being used while auth-bridge cannot be asked;
 * while none is known, callers wait.
 */
export function cacheSigningKeys<T>({
  fetch: ask,
  log,
  retryMs = 1_000,
}: SigningKeyCacheOptions<T>): SigningKeyCache<T> {
  let known: { value: T; freshUntil: number } | undefined
  let asking: Promise<void> | undefined
  let version = 0

  async function refresh(): Promise<void> {
    const asked = version
    try {
      const value = await ask()
      // Changed while we asked: good for once.
      known = { value, freshUntil: asked === version ? Date.now() + freshMs : 0 }
    } catch (error) {
      log.warn(
        { reason: messageOf(error), known: known !== undefined },
        'the service secret cannot be asked for',
      )
      if (known) known = { ...known, freshUntil: Date.now() + retryMs }
    } finally {
      asking = undefined
    }
  }

  return {
    async get(signal) {
      for (;;) {
        if (known && known.freshUntil > Date.now()) return known.value
        asking ??= refresh()
        await asking
        if (known) return known.value
        await delay(retryMs, undefined, { signal })
      }
    },
    invalidate() {
      version++
      if (known) known = { ...known, freshUntil: 0 }
    },
  }
}
