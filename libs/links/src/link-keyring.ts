import { type Clock, TtlCache } from '@posthorn/flow'
import { LinkKey } from './link-key.ts'
import { keyIdOf } from './signed-link.ts'

/**
 * Hexadecimal secrets of signed links: the secret that signs, and earlier secrets, whose links stay
 * valid.
 */
export interface LinkSecrets {
  linkSecret: string
  previous?: string[]
}

/** Source of the keys of signed links. */
export interface LinkKeys {
  /** Returns the key that signs new links. Rejects while the key cannot be fetched. */
  current(): Promise<LinkKey>
  /**
   * Returns the keys that may have made a link's signature. Rejects while the keys cannot be
   * fetched.
   */
  candidates(sig: string): Promise<readonly LinkKey[]>
}

/**
 * Minimum interval of key requests caused by unknown key ids in links, which anybody can make up.
 */
const reloadIntervalMs = 1_000

/**
 * Caches the keys of signed links. Concurrent callers share one request; failures are not cached. A
 * signature with an unknown key id fetches the keys again, because another replica may sign with a
 * newer secret.
 */
export function cacheLinkKeys(
  fetchSecrets: () => Promise<LinkSecrets>,
  options: { clock?: Clock } = {},
): LinkKeys {
  const cache = new TtlCache<'keys', LinkKey[]>({ max: 1 })
  const reloads = new TtlCache<'keys', LinkKey[]>({ max: 1, ttlMs: reloadIntervalMs, ...options })
  const load = async () => {
    const { linkSecret, previous = [] } = await fetchSecrets()
    return [linkSecret, ...previous].map((secret) => new LinkKey(Buffer.from(secret, 'hex')))
  }
  const reload = async () => {
    const keys = await load()
    cache.set('keys', keys)
    return keys
  }
  return {
    async current() {
      const [key] = await cache.load('keys', load)
      if (!key) throw new Error('the keys of links are empty')
      return key
    },
    async candidates(sig) {
      const keys = await cache.load('keys', load)
      const id = keyIdOf(sig)
      if (id === undefined) return keys
      const matching = keys.filter((key) => key.id === id)
      if (matching.length > 0) return matching
      return (await reloads.load('keys', reload)).filter((key) => key.id === id)
    },
  }
}
