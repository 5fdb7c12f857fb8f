import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import {
  type Listener,
  listen,
  type ListenerAddress,
  networkOf,
  type ClientEndpoint,
  resolveClientEndpoint,
} from '@posthorn/mail-frontend'
import { type Certificate } from '@posthorn/service'
import type { SMTPServer } from 'smtp-server'
import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import type { Config } from './config.ts'
import { Conversation } from './conversation.ts'
import { createMailServer, type MailServerDeps } from './mail-server.ts'

export interface DoorAddress extends ListenerAddress {
  /** Proxies that are trusted say first where a client comes from. */
  proxy: boolean
  needsLogin: boolean
}

export interface ListenerDeps extends MailServerDeps {
  config: Config
  /** What goes on after a listener has closed: whoever stops the process waits for it. */
  closing: Set<Promise<void>>
}

/** How long sessions may go on after their listener has closed: a message in hand is brought to its end. */
const closeMs = 5_000
const handshakeMs = 20_000
/** For the last words to reach a client that was sent away. */
const lingerMs = 1_000

/**
 * Takes submissions at an address. Disposing takes no more connections and sends the sessions away that have no message in hand; the others
 * finish theirs in the background.
 */
export async function openListener(
  { host, port, tls, proxy, needsLogin }: DoorAddress,
  certificate: Certificate | undefined,
  deps: ListenerDeps,
): Promise<Listener> {
  if (tls && !certificate)
    throw new Error('TLS is on, but SVC_SMTP_PROXY_TLS_CERT and SVC_SMTP_PROXY_TLS_KEY are not set')
  let isClosing = false
  const mail = createMailServer(
    {
      certificate,
      tls,
      needsLogin,
      isClosing: () => isClosing,
      onTransactionEnd: (session) => {
        if (isClosing) setImmediate(() => sendAway(mail, (one) => one.session === session))
      },
      sendAway: (session, text) => sendAway(mail, (one) => one.session === session, text),
    },
    deps,
  )
  mail.on('error', (err) => deps.log.debug({ err }, 'a connection failed'))
  const entrance = { mail, deps, proxy, context: tls ? certificate?.context : undefined }
  const pending = new Set<Line>()
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const line = { socket }
    pending.add(line)
    enter(line, entrance)
      .catch((err: unknown) => {
        deps.log.debug({ err }, 'a connection failed before its greeting')
        line.socket.destroy()
      })
      .finally(() => pending.delete(line))
  })
  await listen(server, { host, port })
  server.on('error', (err) => deps.log.warn({ err }, 'a connection could not be taken'))
  return {
    async [Symbol.asyncDispose]() {
      isClosing = true
      server.close()
      for (const { socket } of pending) socket.destroy()
      const drained = drain(mail).finally(() => deps.closing.delete(drained))
      deps.closing.add(drained)
    },
  }
}

/** A connection as it is now; with TLS under way, what is to be closed is that. */
interface Line {
  socket: Socket
}

interface Entrance {
  mail: SMTPServer
  deps: ListenerDeps
  proxy: boolean
  context: Certificate['context'] | undefined
}

/** From the bare connection to the greeting. */
async function enter(line: Line, { mail, deps, proxy, context }: Entrance): Promise<void> {
  const { socket } = line
  socket.on('error', () => undefined)
  const { guests, config } = deps
  const from = await resolveClientEndpoint(socket, proxy ? config.trustedProxies : [])
  const place = from && !socket.destroyed ? guests.enter(networkOf(from.address)) : undefined
  if (!from || !place) {
    socket.destroy()
    return
  }
  socket.once('close', () => place[Symbol.dispose]())
  // A client that was sent away and stays would keep its place.
  socket.once('finish', () => setTimeout(() => socket.destroy(), lingerMs).unref())
  if (context && !(await secure(line, context))) {
    line.socket.destroy()
    return
  }
  greet(line.socket, { mail, deps, from, place })
}

/** Whether the client has agreed on TLS, in time. */
async function secure(line: Line, secureContext: Certificate['context']): Promise<boolean> {
  const tlsSocket = new TLSSocket(line.socket, { isServer: true, secureContext })
  line.socket = tlsSocket
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

interface Greeting {
  mail: SMTPServer
  deps: ListenerDeps
  from: ClientEndpoint
  place: Disposable
}

function greet(socket: Socket, { mail, deps, from, place }: Greeting): void {
  const conversation = new Conversation(mail, socket, {
    remoteAddress: from.address,
    remotePort: from.port,
  })
  mail.connections.add(conversation)
  conversation.on('error', (err: Error) => deps.log.debug({ err }, 'a connection failed'))
  deps.guests.watch(conversation, place)
  conversation.init()
}

async function drain(mail: SMTPServer): Promise<void> {
  sendAway(mail, ({ session }) => !session.envelope?.mailFrom)
  const end = AbortSignal.timeout(closeMs)
  while (mail.connections.size > 0 && !end.aborted) await delay(50)
  sendAway(mail, () => true)
}

/** 421 closes the connection. */
function sendAway(
  mail: SMTPServer,
  which: (one: SMTPConnection) => boolean,
  text = '4.3.2 Shutting down',
): void {
  for (const connection of mail.connections) if (which(connection)) connection.send(421, text)
}
