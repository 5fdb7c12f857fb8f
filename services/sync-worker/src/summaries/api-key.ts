import type { Bus } from '@posthorn/bus'
import { getOpenAiApiKey } from '@posthorn/contracts'

/** Changes are broadcast; this is for when a broadcast got lost. */
const freshMs = 60_000
const timeoutMs = 5_000

export interface ApiKeyCache {
  /** The key, if one is set. Rejects while auth-bridge cannot be asked. */
  get(): Promise<string | undefined>
  invalidate(): void
}

/** The key of the endpoint, asked of auth-bridge and kept in memory for a minute. */
export function cacheApiKey(bus: Pick<Bus, 'request'>): ApiKeyCache {
  let known: { key: Promise<string | undefined>; until: number } | undefined
  return {
    get() {
      if (known && Date.now() < known.until) return known.key
      const key = bus
        .request(getOpenAiApiKey, {}, { key: 'credentials', timeoutMs })
        .then(({ openAiAPIKey }) => openAiAPIKey)
      const entry = { key, until: Date.now() + freshMs }
      known = entry
      key.catch(() => {
        if (known === entry) known = undefined
      })
      return key
    },
    invalidate: () => void (known = undefined),
  }
}
