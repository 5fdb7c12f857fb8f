import type { Socket } from 'node:net'
import { addressAllowed } from '@posthorn/db'
import { plainAddress } from './addresses.ts'
import { type ProxiedFrom, readProxyHeader } from './proxy-protocol.ts'

/** Where a client comes from. */
export type Origin = Required<ProxiedFrom>

/**
 * Where a connection really comes from: what a trusted proxy says in its header, else its own address. Undefined where a trusted proxy
 * does not say it in time. Anybody else's header is left to be read, and is believed nothing.
 */
export async function readOrigin(
  socket: Socket,
  trustedProxies: readonly string[],
): Promise<Origin | undefined> {
  const address = plainAddress(socket.remoteAddress)
  const own = { address, port: socket.remotePort ?? 0 }
  // No list would mean everybody to the check of addresses.
  if (trustedProxies.length === 0 || !addressAllowed(trustedProxies, address)) return own
  const told = await readProxyHeader(socket)
  return told && { ...own, ...told }
}
