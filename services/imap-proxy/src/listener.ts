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
  /** Connections of clients that are not logged in, oldest connection first. */
  pending: Set<ClientConnection>
  /** Maximum size of `pending`. A further connection ends the oldest connection. */
  maxPending: number
  trustedProxies: readonly string[]
}

/**
 * Starts listening for IMAP clients. Disposal closes the listener; sessions continue.
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
  // The sockets are half-open: a client that has closed its side still receives the responses.
  const server = createServer({ allowHalfOpen: true }, (socket) => accept(socket, deps, context))
  await listen(server, { host, port })
  server.on('error', (err) => deps.log.warn({ err }, 'accepting a connection failed'))
  return {
    // Does not await the callback of `close`, because the callback waits for the end of all
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
    // Removes the oldest connection from `pending` immediately. Its end takes up to a second,
    // during which it must not be selected again.
    pending.delete(oldest)
    oldest.end('Too many connections')
  }
  void connection.loginEnded.finally(() => pending.delete(connection))
}
