import { createServer, type Socket } from 'node:net'
import { defined } from '@posthorn/contracts/defined'
import { type Listener, listen, type ListenerAddress } from '@posthorn/mail-frontend'
import type { Certificate } from '@posthorn/service/certificate'
import {
  type ClientConnection,
  type ConnectionDeps,
  type ListenerContext,
  startConnection,
} from './connection.ts'

export interface ListenerDeps extends ConnectionDeps {
  /** Connections of IMAP clients that are not logged in, oldest connection first. */
  pending: Set<ClientConnection>
  /**
   * Maximum client connections in `pending` (not logged in). A further connection ends the oldest
   * connection.
   */
  maxPending: number
  trustedProxies: readonly string[]
}

/**
 * Starts listening for IMAP clients. Disposal closes the listener; IMAP sessions continue.
 *
 * @throws Error if the port is in use
 */
export async function startListener(
  { host, port, tls, proxy }: ListenerAddress,
  certificate: Certificate | undefined,
  deps: ListenerDeps,
): Promise<Listener> {
  const context: ListenerContext = {
    trustedProxies: proxy ? deps.trustedProxies : [],
    ...defined({ tls: certificate && { context: certificate.context, implicit: tls } }),
  }
  // Sockets of IMAP clients are half-open: a client that has closed its side still receives the
  // responses.
  const server = createServer({ allowHalfOpen: true }, (socket) => accept(socket, deps, context))
  await listen(server, { host, port })
  server.on('error', (err) => deps.log.warn({ err }, 'accepting a connection failed'))
  return {
    // The callback of `server.close` is not awaited, because it waits for the end of all IMAP
    // sessions.
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

function accept(socket: Socket, deps: ListenerDeps, context: ListenerContext): void {
  const { pending, maxPending } = deps
  const connection = startConnection(socket, deps, context)
  pending.add(connection)
  const [oldest] = pending
  if (oldest && pending.size > maxPending) {
    // Removes the oldest client connection from `pending` immediately. The end of the connection
    // takes up to a second, during which the connection must not be selected again.
    pending.delete(oldest)
    oldest.end('Too many connections')
  }
  void connection.loginEnded.finally(() => pending.delete(connection))
}
