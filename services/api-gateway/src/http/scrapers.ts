import type { IncomingMessage } from 'node:http'
import { addressAllowed } from '@posthorn/access'
import { clientAddress } from '../access/client-address.ts'
import type { HttpServerConfig } from './http-server-config.ts'

type ScrapeLimits = Pick<HttpServerConfig, 'metricsAddresses' | 'trustedProxies'>

/**
 * True if the client may read `/metrics`: by address, and not through an untrusted proxy, which
 * could forward any client. An ingress that forwards all paths therefore exposes no metrics.
 */
export function mayScrape(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  { metricsAddresses, trustedProxies }: ScrapeLimits,
): boolean {
  const remote = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']?.toString()
  const isForwarded = [forwarded, headers.forwarded, headers.via].some((one) => one !== undefined)
  const client = clientAddress(remote, forwarded, trustedProxies)
  // A forwarded request whose client is the peer itself came through an untrusted proxy.
  if (isForwarded && client === clientAddress(remote, undefined, [])) return false
  return metricsAddresses.length > 0 && addressAllowed(metricsAddresses, client)
}
