import type { IncomingMessage } from 'node:http'
import { addressAllowed } from '@posthorn/access'
import { addressOf } from '../access/client-address.ts'
import type { HttpServerConfig } from '../http-server-config.ts'

type ScrapeLimits = Pick<HttpServerConfig, 'metricsAddresses' | 'trustedProxies'>

/**
 * True if the client may read `/metrics`: by address, and not through an untrusted proxy, which
 * could forward any client. An ingress that forwards all paths therefore exposes no metrics.
 */
export function mayScrape(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  { metricsAddresses, trustedProxies }: ScrapeLimits,
): boolean {
  const { 'x-forwarded-for': forwardedFor, forwarded, via } = request.headers
  const isForwarded = [forwardedFor, forwarded, via].some((header) => header !== undefined)
  const client = addressOf(request, trustedProxies)
  // A forwarded request whose client is the peer itself came through an untrusted proxy.
  if (isForwarded && client === addressOf(request, [])) return false
  return metricsAddresses.length > 0 && addressAllowed(metricsAddresses, client)
}
