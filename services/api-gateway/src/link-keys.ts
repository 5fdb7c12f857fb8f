import type { Bus, RpcOptions } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts/commands/credentials'
import { cacheLinkKeys, type LinkKeys } from '@posthorn/links'

const timeoutMs = 5_000

/**
 * Link keys, requested from auth-bridge once, and again for an unknown key id. Without auth-bridge
 * they reject immediately with a retryable AppError, because api-gateway cannot unseal the keys.
 */
export function linkKeys(bus: Bus): LinkKeys {
  const options = { key: 'credentials', timeoutMs, failFast: true } satisfies RpcOptions
  return cacheLinkKeys(() => bus.request(getLinkSecret, {}, options))
}
