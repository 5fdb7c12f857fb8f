import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { BeforeLogin, type LoginAttempt } from './before-login.ts'
import { Client } from './client.ts'
import { type LoggedIn, logIn, type LogInDeps } from './log-in.ts'
import type { Instruments } from './instruments.ts'
import { Relay } from './relay.ts'
import type { Sessions } from './sessions.ts'

export interface ConnectionDeps extends LogInDeps {
  sessions: Sessions
  instruments: Instruments
}

/** From the first byte to the login, whatever happens in between. */
const beforeLoginMs = 60_000
const handshakeMs = 20_000

/** After a login the list is this one, always; a CAPABILITY command then reaches the server, and is answered with the truth. */
const capabilities =
  '* CAPABILITY IMAP4rev1 LITERAL+ SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY'

export interface Tls {
  context: SecureContext
  /** From the first byte on; otherwise by STARTTLS. */
  implicit: boolean
}

export interface Connection {
  /** Resolves when the client is logged in or gone. */
  readonly beforeLogin: Promise<void>
  /** Sends a client away that is not logged in. */
  end(reason: string): void
}

/** One client's life: greeting, login, passing through, end. */
export function startConnection(socket: Socket, deps: ConnectionDeps, tls?: Tls): Connection {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 90_000)
  const client = new Client(socket)
  const gone = new AbortController()
  // The bare connection closes with or before whatever runs over it.
  socket.once('close', () => gone.abort())
  const deadline = setTimeout(() => client.end('No login in time'), beforeLoginMs)
  const beforeLogin = admit({ client, deps, tls, signal: gone.signal })
    .catch((err: unknown) => {
      if (!gone.signal.aborted)
        deps.log.error({ err, address: client.address }, 'a connection failed')
      client.end()
    })
    .finally(() => clearTimeout(deadline))
  return { beforeLogin, end: (reason) => client.end(reason) }
}

interface Admission {
  client: Client
  deps: ConnectionDeps
  tls: Tls | undefined
  signal: AbortSignal
}

async function admit({ client, deps, tls, signal }: Admission): Promise<void> {
  if (tls?.implicit && !(await secured(client, tls.context))) return client.end()
  client.write(`* OK Posthorn IMAP Proxy ready for requests from ${client.address}`)
  const beforeLogin = new BeforeLogin(client, tls?.context)
  for (;;) {
    const attempt = await beforeLogin.nextAttempt()
    if (!attempt) return client.end()
    const outcome = await logIn(deps, attempt, { address: client.address, signal })
    deps.instruments.logins.inc({ result: outcome.refusal?.result ?? 'ok' })
    if (!outcome.refusal) return passThrough({ client, deps, attempt, outcome })
    client.write(`${attempt.tag} NO ${outcome.refusal.text}`)
  }
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

interface PassThrough {
  client: Client
  deps: ConnectionDeps
  attempt: LoginAttempt
  outcome: Extract<LoggedIn, { refusal?: never }>
}

function passThrough({ client, deps, attempt, outcome }: PassThrough): void {
  const { upstream, token, place } = outcome
  const { account, tag } = attempt
  const { sessions, instruments, log } = deps
  if (client.gone) {
    upstream.socket.destroy()
    place[Symbol.dispose]()
    return
  }
  client.write(capabilities, `${tag} OK ${printable(account)} authenticated`)
  client.socket.write(upstream.rest)
  // Sent behind the LOGIN, before its answer: the first thing the server is told.
  upstream.socket.write(client.takeRest())
  const relay = new Relay({
    client: client.socket,
    upstream: upstream.socket,
    count: (direction, bytes) => instruments.bytes.inc({ direction }, bytes),
  })
  const session = sessions.add({
    tokenId: token.id,
    expiresAt: token.expiresAt,
    account,
    address: client.address,
    end(reason) {
      log.info({ account, address: client.address, reason }, 'ended')
      relay.end(reason)
    },
  })
  log.info({ account, address: client.address }, 'logged in')
  void relay.done.then(() => {
    session[Symbol.dispose]()
    place[Symbol.dispose]()
    log.info({ account, address: client.address }, 'closed')
  })
}

/** An account's id is the caller's choice: what could end the line stays out of it. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, '?')
}
