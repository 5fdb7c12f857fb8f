import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import {
  drainClients,
  type Listener,
  listen,
  type ListenerAddress,
  resolveClientEndpoint,
} from '@posthorn/mail-frontend'
import { networkOf } from '@posthorn/net/addresses'
import type { Certificate } from '@posthorn/service/certificate'
import type { SMTPServer } from 'smtp-server'
import { SmtpProxyConnection } from './clients.ts'
import type { Config } from './config.ts'
import { createMailServer, type MailServerDeps } from './mail-server.ts'

/** Address and protocol options of the SMTP listener. */
export interface SmtpListenerAddress extends ListenerAddress {
  loginRequired: boolean
}

export interface ListenerDeps extends MailServerDeps {
  config: Config
  /** SMTP sessions of closed listeners that are still in progress. Awaited at shutdown. */
  closing: Set<Promise<void>>
  /**
   * Called with the number of SMTP messages in transfer that a closed listener did not wait for.
   */
  onCut: (messages: number) => void
}

const handshakeMs = 20_000
/** Time for which the final SMTP reply may take to reach the client of a closed connection. */
const lingerMs = 1_000

/**
 * Starts listening for mail clients. Disposal stops accepting connections. SMTP sessions continue
 * in the background and are disconnected within `drainMs`, not during a message.
 *
 * @throws Error if the port is in use
 */
export async function startListener(
  { host, port, tls, proxy, loginRequired }: SmtpListenerAddress,
  certificate: Certificate | undefined,
  deps: ListenerDeps,
): Promise<Listener> {
  const ending = new Set<object>()
  const mail = createMailServer(
    {
      certificate,
      tls,
      loginRequired,
      isOpen: (session) => [...mail.connections].some((each) => each.session === session),
      isClosing: (session) => ending.has(session),
      onTransactionEnd: (session) => {
        if (ending.has(session)) setImmediate(() => disconnect(mail, session))
      },
      disconnect: (session, text) => disconnect(mail, session, text),
    },
    deps,
  )
  mail.on('error', (err) => deps.log.debug({ err }, 'connection failed'))
  const context = { mail, deps, proxy, tls: tls ? certificate?.context : undefined }
  const connecting = new Set<ConnectingClient>()
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const client = { socket }
    connecting.add(client)
    accept(client, context)
      .catch((err: unknown) => {
        deps.log.debug({ err }, 'connection failed before the greeting')
        client.socket.destroy()
      })
      .finally(() => connecting.delete(client))
  })
  await listen(server, { host, port })
  server.on('error', (err) => deps.log.warn({ err }, 'accepting a connection failed'))
  return {
    async [Symbol.asyncDispose]() {
      server.close()
      for (const { socket } of connecting) socket.destroy()
      const drained = drain(mail, ending, deps.config.drainMs)
        .then(deps.onCut)
        .finally(() => deps.closing.delete(drained))
      deps.closing.add(drained)
    },
  }
}

/**
 * Connection of an SMTP client before the greeting. `socket` becomes the TLS socket when TLS
 * starts.
 */
interface ConnectingClient {
  socket: Socket
}

interface ListenerContext {
  mail: SMTPServer
  deps: ListenerDeps
  proxy: boolean
  tls: Certificate['context'] | undefined
}

/**
 * Reads the PROXY header of a new client connection, applies the limit per address, starts TLS and
 * sends the greeting.
 */
async function accept(client: ConnectingClient, context: ListenerContext): Promise<void> {
  const { mail, deps, proxy, tls } = context
  const { socket } = client
  socket.on('error', () => undefined)
  const { pending, config } = deps
  const endpoint = await resolveClientEndpoint(socket, proxy ? config.trustedProxies : [])
  const permit =
    endpoint && !socket.destroyed ? pending.tryAcquire(networkOf(endpoint.address)) : undefined
  if (!endpoint || !permit) {
    socket.destroy()
    return
  }
  socket.once('close', () => permit[Symbol.dispose]())
  // Destroys the socket of a disconnected SMTP client after `lingerMs`. The client would keep its
  // connection permit as long as the socket is open.
  socket.once('finish', () => setTimeout(() => socket.destroy(), lingerMs).unref())
  if (tls && !(await startTls(client, tls))) {
    client.socket.destroy()
    return
  }
  const connection = new SmtpProxyConnection(mail, client.socket, {
    remoteAddress: endpoint.address,
    remotePort: endpoint.port,
  })
  mail.connections.add(connection)
  connection.on('error', (err: Error) => deps.log.debug({ err }, 'connection failed'))
  pending.add(connection, permit)
  connection.init()
}

/** Starts TLS with a mail client. Returns true if the handshake completed within `handshakeMs`. */
async function startTls(
  client: ConnectingClient,
  secureContext: Certificate['context'],
): Promise<boolean> {
  const tlsSocket = new TLSSocket(client.socket, { isServer: true, secureContext })
  client.socket = tlsSocket
  tlsSocket.on('error', () => undefined)
  const deadline = setTimeout(() => tlsSocket.destroy(), handshakeMs)
  try {
    return await Promise.race([
      once(tlsSocket, 'secure').then(() => true),
      once(tlsSocket, 'close').then(() => false),
    ]).catch(() => false)
  } finally {
    clearTimeout(deadline)
  }
}

/**
 * Disconnects all SMTP clients within `drainMs`. Returns the number of clients with a message in
 * transfer.
 */
async function drain(mail: SMTPServer, ending: Set<object>, drainMs: number): Promise<number> {
  const clients = Array.from(mail.connections, (connection) => ({
    get isClosed() {
      return !mail.connections.has(connection)
    },
    get isBusy() {
      return Boolean(connection.session.envelope?.mailFrom)
    },
    announce: () => void ending.add(connection.session),
    end: () => disconnect(mail, connection.session),
  }))
  return await drainClients(clients, drainMs)
}

/** Sends the reply 421 to the client of an SMTP session, which closes the connection. */
function disconnect(mail: SMTPServer, session: object, text = '4.3.2 Shutting down'): void {
  for (const connection of mail.connections)
    if (connection.session === session) connection.send(421, text)
}
