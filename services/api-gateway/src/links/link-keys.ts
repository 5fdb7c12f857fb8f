import type { Bus } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts'
import { cacheLinkKey, type LinkKeys } from '@posthorn/links'

const timeoutMs = 5_000

/**
 * The key of links, asked of auth-bridge once. Without auth-bridge, `current` rejects soon with an AppError that says to try again: no
 * gateway can open the key, and whoever wants a link is told so before they lose patience.
 */
export function linkKeys(bus: Bus): LinkKeys {
  const how = { key: 'credentials', timeoutMs, mustBeServed: true }
  return cacheLinkKey(() => bus.request(getLinkSecret, {}, how))
}
