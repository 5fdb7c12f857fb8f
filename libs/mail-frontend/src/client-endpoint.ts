import type { Socket } from 'node:net'
import { addressAllowed } from '@posthorn/access'
import { plainAddress } from '@posthorn/net/addresses'
import { type ProxiedSource, readProxyHeader } from './proxy-protocol.ts'

/** IP address and port of a mail client. */
export type ClientEndpoint = Required<ProxiedSource>

/**
 * Resolves the address and port of the mail client of a connection: from the PROXY header if a
 * trusted proxy connected, else from the socket. Undefined if a trusted proxy sends no valid header
 * in time. A PROXY header of a peer that is not trusted is left in the stream.
 */
export async function resolveClientEndpoint(
  socket: Socket,
  trustedProxies: readonly string[],
): Promise<ClientEndpoint | undefined> {
  const address = plainAddress(socket.remoteAddress)
  const peer = { address, port: socket.remotePort ?? 0 }
  // Without a trusted proxy, the peer is the mail client. `addressAllowed` must not be called then,
  // because an empty list of ranges would match every address.
  if (trustedProxies.length === 0 || !addressAllowed(trustedProxies, address)) return peer
  const source = await readProxyHeader(socket)
  return source && { ...peer, ...source }
}
