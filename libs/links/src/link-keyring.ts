import { type Clock, TtlCache } from '@posthorn/flow'
import { LinkKey } from './link-key.ts'
import { keyIdOf } from './signed-link.ts'

/**
 * Secrets of signed links as hexadecimal texts: the secret that signs new links, and earlier
 * secrets. Links that were signed with earlier secrets stay valid.
 */
export interface LinkSecrets {
  linkSecret: string
  previous?: string[]
}

/** Source of the keys with which links in messages are signed and verified. */
export interface LinkKeys {
  /**
   * Returns the key that signs new links in messages. Rejects if the key cannot be fetched at the
   * moment.
   */
  current(): Promise<LinkKey>
  /**
   * Returns the keys with which the signature of a link may have been made. Rejects if the keys
   * cannot be fetched at the moment.
   */
  candidates(sig: string): Promise<readonly LinkKey[]>
}

/**
 * Minimum time between two requests for link keys that are caused by unknown key ids. Anybody can
 * send links with invented key ids.
 */
const reloadIntervalMs = 1_000

/**
 * Caches the keys of signed links. Concurrent callers share one request for the keys, and errors
 * are not cached. For a signature with an unknown key id, the keys are fetched again, because
 * another replica may already sign with a newer secret.
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
