import type { Bus } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts'
import { cacheLinkKey, type LinkKeys } from '@posthorn/links'

const timeoutMs = 5_000

/**
 * Cache of the link key, requested from auth-bridge once. Without auth-bridge, `current` rejects
 * within about 250 ms with `WorkerNotAvailable`, so that clients do not wait for the timeout.
 */
export function linkKeys(bus: Bus): LinkKeys {
  const options = { key: 'credentials', timeoutMs, failFast: true }
  return cacheLinkKey(() => bus.request(getLinkSecret, {}, options))
}
