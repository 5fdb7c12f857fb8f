import { createServer, type Socket } from 'node:net'
import { type Listener, listen, type ListenerAddress } from '@posthorn/mail-frontend'
import { type Certificate } from '@posthorn/service'
import { type Connection, type ConnectionDeps, type Door, startConnection } from './connection.ts'

/** Where and how to listen. */
export interface DoorAddress extends ListenerAddress {
  /** Proxies that are trusted say first where a client comes from. */
  proxy: boolean
}

export interface ListenerDeps extends ConnectionDeps {
  /** The clients that are not logged in, oldest first. */
  pending: Set<Connection>
  /** Those all together; one more sends the oldest away. */
  maxPending: number
  trustedProxies: readonly string[]
}

/** Takes mail clients in at an address. */
export async function openListener(
  { host, port, tls, proxy }: DoorAddress,
  certificate: Certificate | undefined,
  deps: ListenerDeps,
): Promise<Listener> {
  if (tls && !certificate)
    throw new Error('TLS is on, but SVC_IMAP_PROXY_TLS_CERT and SVC_IMAP_PROXY_TLS_KEY are not set')
  const door: Door = {
    trustedProxies: proxy ? deps.trustedProxies : [],
    ...(certificate ? { tls: { context: certificate.context, implicit: tls } } : {}),
  }
  // Half-open: a client that has said its last word still gets the answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => accept(socket, deps, door))
  await listen(server, { host, port })
  server.on('error', (err) => deps.log.warn({ err }, 'a connection could not be taken'))
  return {
    // Its sessions stay: closing waits for none of them.
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}

function accept(socket: Socket, deps: ListenerDeps, door: Door): void {
  const { pending, maxPending } = deps
  const connection = startConnection(socket, deps, door)
  pending.add(connection)
  const [oldest] = pending
  if (pending.size > maxPending) oldest?.end('Too many connections')
  void connection.beforeLogin.finally(() => pending.delete(connection))
}
