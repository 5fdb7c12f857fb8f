import type { IncomingMessage } from 'node:http'
import { addressAllowed } from '@posthorn/access'
import { clientAddress } from '../access/client-address.ts'
import type { HttpServerConfig } from './http-server-config.ts'

type ScrapeLimits = Pick<HttpServerConfig, 'metricsAddresses' | 'trustedProxies'>

/**
 * Whether `/metrics` is there for whoever asks: by address, and not through a proxy that is not trusted, for anybody may stand behind
 * it. That way an ingress that passes on everything shows nothing to the world.
 */
export function mayScrape(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  { metricsAddresses, trustedProxies }: ScrapeLimits,
): boolean {
  const remote = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']?.toString()
  const isPassedOn = [forwarded, headers.forwarded, headers.via].some((one) => one !== undefined)
  const client = clientAddress(remote, forwarded, trustedProxies)
  // What was passed on, and still comes from where it came, was passed on by somebody we do not trust.
  if (isPassedOn && client === clientAddress(remote, undefined, [])) return false
  return metricsAddresses.length > 0 && addressAllowed(metricsAddresses, client)
}
