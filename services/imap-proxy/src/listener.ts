import { createServer, type Socket } from 'node:net'
import {
  type Certificate,
  type Listener,
  listen,
  type ListenerAddress,
  network,
  type Places,
  plainAddress,
} from '@posthorn/service'
import { type Connection, type ConnectionDeps, startConnection } from './connection.ts'

export interface ListenerDeps extends ConnectionDeps {
  /** Places of clients that are not logged in, by address. */
  pendingPlaces: Places
  /** The clients that are not logged in, oldest first. */
  pending: Set<Connection>
}

/** Clients that are not logged in, all together; one more sends the oldest away. */
const maxPending = 2_000

/** Takes mail clients in at an address. */
export async function openListener(
  { host, port, tls }: ListenerAddress,
  certificate: Certificate | undefined,
  deps: ListenerDeps,
): Promise<Listener> {
  if (tls && !certificate)
    throw new Error('TLS is on, but SVC_IMAP_PROXY_TLS_CERT and SVC_IMAP_PROXY_TLS_KEY are not set')
  // Half-open: a client that has said its last word still gets the answers.
  const server = createServer({ allowHalfOpen: true }, (socket) =>
    accept(socket, deps, certificate && { context: certificate.context, implicit: tls }),
  )
  await listen(server, { host, port })
  server.on('error', (err) => deps.log.warn({ err }, 'a connection could not be taken'))
  return {
    // Its sessions stay: closing waits for none of them.
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

function accept(
  socket: Socket,
  deps: ListenerDeps,
  tls: Parameters<typeof startConnection>[2],
): void {
  const { pending, pendingPlaces } = deps
  const place = pendingPlaces.take(network(plainAddress(socket.remoteAddress)))
  if (!place) {
    socket.on('error', () => undefined)
    socket.destroy()
    return
  }
  const connection = startConnection(socket, deps, tls)
  pending.add(connection)
  const [oldest] = pending
  if (pending.size > maxPending) oldest?.end('Too many connections')
  void connection.beforeLogin.finally(() => {
    pending.delete(connection)
    place[Symbol.dispose]()
  })
}
