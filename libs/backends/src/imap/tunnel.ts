import type { Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { connectSocket } from '@posthorn/net'
import type { ImapFlowOptions } from 'imapflow'
import type { ConnectOptions } from '../backend.ts'
import { connectError, connectAborted } from './errors.ts'

type Transport = NonNullable<ImapFlowOptions['transport']>
type TlsOptions = Parameters<NonNullable<Transport['upgrade']>>[1]

/**
 * A way to the server through a proxy, for imapflow to speak over. Its own way loses what the server says along with the answer of a SOCKS
 * proxy, and connects to wherever the name of the proxy leads by then. Whoever gives up before it is used has it closed.
 *
 * @throws AppError `unreachable` `EPROXY` for everything between us and the proxy, `forbidden` `EEGRESSBLOCKED` about the server's address,
 * `invalid` where the proxy has none
 */
export async function openTunnel(
  { host, port, proxy, egress = 'off', localAddresses = [] }: ConnectOptions & { proxy: string },
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Transport> {
  const way = { proxy, egress, localAddresses, signal, timeoutMs }
  try {
    const { socket } = await connectSocket({ host, port }, way)
    return tunnelTransport(socket, signal)
  } catch (error) {
    throw signal.aborted ? connectAborted(signal) : connectError(error)
  }
}

function tunnelTransport(socket: Socket, signal: AbortSignal): Transport {
  const giveUp = () => socket.destroy()
  signal.addEventListener('abort', giveUp, { once: true })
  if (signal.aborted) giveUp()
  return {
    connect({ secure, ...options }, onConnect) {
      signal.removeEventListener('abort', giveUp)
      if (secure) return upgradeToTls(socket, options, onConnect)
      setImmediate(onConnect)
      return socket
    },
    upgrade: (plain, options, onSecure) => upgradeToTls(plain as Socket, options, onSecure),
  }
}

/** The certificate is that of the server, not of the proxy. */
function upgradeToTls(
  socket: Socket,
  { host, port, servername, tls = {} }: TlsOptions,
  onSecure: () => void,
) {
  const name: ConnectionOptions = servername === undefined ? {} : { servername }
  return connectTls({ socket, host, port, ...name, ...tls }, onSecure)
}
