import type { Socket } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import { defined } from '@posthorn/contracts/defined'
import { connectSocket } from '@posthorn/net/connect-socket'
import type { ImapFlowOptions } from 'imapflow'
import type { ConnectOptions } from '../../mail-session.ts'
import { connectError, connectAborted } from './errors.ts'

type Transport = NonNullable<ImapFlowOptions['transport']>
type TlsOptions = Parameters<NonNullable<Transport['upgrade']>>[1]

/**
 * Opens a connection to an IMAP server through a proxy, for imapflow. imapflow's own proxy support
 * loses data that follows the reply of a SOCKS proxy, and resolves the proxy's name again. An abort
 * before use closes the connection.
 *
 * @throws AppError `unreachable` `EPROXY` for failures up to the proxy,
 * `forbidden` `EEGRESSBLOCKED` for the address of the server, `invalid` for an invalid proxy URL
 */
export async function openTunnel(
  server: ConnectOptions & { proxy: string },
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Transport> {
  const { host, port, proxy, egress = 'off', localAddresses = [], mailPorts } = server
  const options = { proxy, egress, localAddresses, signal, timeoutMs, ...defined({ mailPorts }) }
  try {
    const { socket } = await connectSocket({ host, port }, options)
    return tunnelTransport(socket, signal)
  } catch (error) {
    throw signal.aborted ? connectAborted(signal) : connectError(error)
  }
}

function tunnelTransport(socket: Socket, signal: AbortSignal): Transport {
  const abort = () => socket.destroy()
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return {
    connect({ secure, ...options }, onConnect) {
      signal.removeEventListener('abort', abort)
      if (secure) return upgradeToTls(socket, options, onConnect)
      setImmediate(onConnect)
      return socket
    },
    upgrade: (plain, options, onSecure) => upgradeToTls(plain as Socket, options, onSecure),
  }
}

/**
 * Starts TLS with the mail server inside the proxy tunnel. The certificate is the server's, not the
 * proxy's.
 */
function upgradeToTls(
  socket: Socket,
  { host, port, servername, tls = {} }: TlsOptions,
  onSecure: () => void,
) {
  const name: ConnectionOptions = servername === undefined ? {} : { servername }
  return connectTls({ socket, host, port, ...name, ...tls }, onSecure)
}
