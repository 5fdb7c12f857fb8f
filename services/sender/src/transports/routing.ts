import type { NetworkRouting } from '@posthorn/db'
import { publicProxy } from '@posthorn/net'
import type { Destination } from './transport.ts'

/** The way a message goes, for whoever wants to know; undefined where it is the ordinary one: directly, from whichever address. */
export function routingOf(
  { proxy, requestedLocalAddress }: Pick<Destination, 'proxy' | 'requestedLocalAddress'>,
  { localAddress, name }: { localAddress: string | undefined; name: string | undefined },
): NetworkRouting | undefined {
  const missed =
    requestedLocalAddress === undefined || requestedLocalAddress === localAddress
      ? undefined
      : requestedLocalAddress
  if (localAddress === undefined && proxy === undefined && missed === undefined) return undefined
  return {
    ...(localAddress === undefined ? {} : { localAddress }),
    ...(name === undefined ? {} : { name }),
    ...(proxy === undefined ? {} : { proxy: publicProxy(proxy) }),
    ...(missed === undefined ? {} : { requestedLocalAddress: missed }),
  }
}
