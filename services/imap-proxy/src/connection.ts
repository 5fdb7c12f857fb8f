import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { type KeyedSemaphore } from '@posthorn/flow'
import { networkOf, resolveClientEndpoint } from '@posthorn/mail-frontend'
import { BeforeLogin } from './before-login.ts'
import { Client } from './client.ts'
import { logIn, type LogInDeps } from './log-in.ts'
import { passThrough, type PassThroughDeps } from './pass-through.ts'
import { greetingWords } from './upstream.ts'

export interface ConnectionDeps extends LogInDeps, PassThroughDeps {
  /** Places of clients that are not logged in, by address. */
  pendingPlaces: KeyedSemaphore
}

/** How a listener takes its clients in. */
export interface Door {
  tls?: {
    context: SecureContext
    /** From the first byte on; otherwise by STARTTLS. */
    implicit: boolean
  }
  /** Who has to say first where a client comes from; nobody, if empty. */
  trustedProxies: readonly string[]
}

export interface Connection {
  /** Resolves when the client is logged in or gone. */
  readonly beforeLogin: Promise<void>
  /** Sends a client away that is not logged in. */
  end(reason: string): void
}

/** From the first byte to the login, whatever happens in between. */
const beforeLoginMs = 60_000
const handshakeMs = 20_000
/** Finds out within three minutes who has vanished, and keeps the paths of those who wait open. */
const keepAliveMs = 90_000

/** One client's life: greeting, login, passing through, end. */
export function startConnection(socket: Socket, deps: ConnectionDeps, door: Door): Connection {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
  const client = new Client(socket)
  const gone = new AbortController()
  const onClose = () => gone.abort()
  // The bare connection closes with or before whatever runs over it.
  socket.once('close', onClose)
  const deadline = setTimeout(() => client.end('No login in time'), beforeLoginMs)
  const beforeLogin = admit({ client, deps, door, signal: gone.signal })
    .catch((err: unknown) => {
      if (!gone.signal.aborted)
        deps.log.error({ err, address: client.address }, 'a connection failed')
      client.end()
    })
    .finally(() => {
      clearTimeout(deadline)
      socket.off('close', onClose)
    })
  return { beforeLogin, end: (reason) => client.end(reason) }
}

interface Admission {
  client: Client
  deps: ConnectionDeps
  door: Door
  signal: AbortSignal
}

async function admit(admission: Admission): Promise<void> {
  const { client, deps, door } = admission
  const origin = await resolveClientEndpoint(client.socket, door.trustedProxies)
  using place =
    origin && !client.gone ? deps.pendingPlaces.tryAcquire(networkOf(origin.address)) : undefined
  if (!origin || !place) return client.cut()
  client.address = origin.address
  const { tls } = door
  if (tls?.implicit && !(await secured(client, tls.context))) return client.end()
  client.write(`* OK ${greetingWords} ready for requests from ${client.address}`)
  // Awaited: the place is given back when this returns.
  await converse(admission)
}

async function converse({ client, deps, door, signal }: Admission): Promise<void> {
  const beforeLogin = new BeforeLogin(client, door.tls?.context)
  for (;;) {
    const attempt = await beforeLogin.nextAttempt()
    if (!attempt) return client.end()
    const { tag, login } = attempt
    const outcome = await logIn(deps, login, { address: client.address, signal })
    deps.instruments.logins.inc({ result: outcome.refusal?.result ?? 'ok' })
    if (!outcome.refusal) return letIn(client, tag, { deps, admitted: outcome })
    client.write(`${tag} NO ${outcome.refusal.text}`)
  }
}

function letIn(client: Client, tag: string, login: Parameters<typeof passThrough>[2]): void {
  if (!client.gone) return passThrough(client, tag, login)
  const { upstream, place } = login.admitted
  upstream.socket.destroy()
  place[Symbol.dispose]()
}

/** Whether the client has agreed on TLS, in time. */
async function secured(client: Client, context: SecureContext): Promise<boolean> {
  const deadline = setTimeout(() => client.end(), handshakeMs)
  try {
    return await client.startTls(context)
  } finally {
    clearTimeout(deadline)
  }
}
