import { TtlCache } from '@posthorn/flow'

/** Source of the signing key. The key never changes, so links do not expire with it. */
export interface LinkKeys {
  /** Returns the key. Rejects while it cannot be fetched. */
  current(): Promise<Buffer>
}

/** Caches the signing key. Concurrent callers share one request; failures are not cached. */
export function cacheLinkKey(fetchSecret: () => Promise<{ linkSecret: string }>): LinkKeys {
  const cache = new TtlCache<'key', Buffer>({ max: 1 })
  const load = async () => Buffer.from((await fetchSecret()).linkSecret, 'hex')
  return { current: () => cache.load('key', load) }
}
