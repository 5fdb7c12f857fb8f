import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { type KeyedSemaphore } from '@posthorn/flow'
import { resolveClientEndpoint } from '@posthorn/mail-frontend'
import { networkOf } from '@posthorn/net/addresses'
import { logIn, type LoginDeps } from './login.ts'
import { LoginDialog } from './client/login-dialog.ts'
import { MailClient } from './client/mail-client.ts'
import { type AuthenticatedLogin, type RelayDeps, startRelay } from './session.ts'
import { greetingText } from './upstream/upstream.ts'

export interface ConnectionDeps extends LoginDeps, RelayDeps {
  /**
   * Permits for connections of mail clients that are not logged in, by network of the client's
   * address.
   */
  pendingPermits: KeyedSemaphore
}

/** TLS settings and PROXY protocol settings of an IMAP listener. */
export interface ListenerContext {
  tls?: {
    context: SecureContext
    /** True for implicit TLS with mail clients, false for STARTTLS. */
    implicit: boolean
  }
  /**
   * Addresses of load balancers (PROXY protocol) that must send a PROXY header. Empty if no load
   * balancer is trusted.
   */
  trustedProxies: readonly string[]
}

export interface ClientConnection {
  /** Resolves after the login of the IMAP client, or after the end of the client's connection. */
  readonly loginEnded: Promise<void>
  /** Ends the connection of an IMAP client that is not logged in. */
  end(reason: string): void
}

/** Timeout of the login of a mail client, from the start of its connection. */
const loginTimeoutMs = 60_000
const tlsHandshakeTimeoutMs = 20_000
/**
 * TCP keep-alive interval of connections with mail clients. Detects vanished clients within 3
 * minutes and keeps NAT entries of idle clients.
 */
const keepAliveMs = 90_000

/** Runs the connection of a mail client: greeting, login, start of the relay to the mail server. */
export function startConnection(
  socket: Socket,
  deps: ConnectionDeps,
  listener: ListenerContext,
): ClientConnection {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
  const client = new MailClient(socket)
  const disconnected = new AbortController()
  const onClose = () => disconnected.abort()
  // Listens on the TCP socket of the mail client, which closes together with the TLS socket over
  // it, or before.
  socket.once('close', onClose)
  const deadline = setTimeout(() => client.end('No login in time'), loginTimeoutMs)
  const loginEnded = greet({ client, deps, listener, signal: disconnected.signal })
    .catch((err: unknown) => {
      if (!disconnected.signal.aborted)
        deps.log.error({ err, address: client.address }, 'connection failed')
      client.end()
    })
    .finally(() => {
      clearTimeout(deadline)
      socket.off('close', onClose)
    })
  return { loginEnded, end: (reason) => client.end(reason) }
}

interface LoginContext {
  client: MailClient
  deps: ConnectionDeps
  listener: ListenerContext
  signal: AbortSignal
}

/**
 * Determines the IMAP client's address, starts implicit TLS, sends the greeting and runs the login.
 */
async function greet(context: LoginContext): Promise<void> {
  const { client, deps, listener } = context
  const endpoint = await resolveClientEndpoint(client.socket, listener.trustedProxies)
  using permit =
    endpoint && !client.isDisconnected
      ? deps.pendingPermits.tryAcquire(networkOf(endpoint.address))
      : undefined
  if (!endpoint || !permit) return client.disconnect()
  client.address = endpoint.address
  const { tls } = listener
  if (tls?.implicit && !(await startTls(client, tls.context))) return client.end()
  client.write(`* OK ${greetingText} ready for requests from ${client.address}`)
  // The IMAP client's login is awaited, because the permit for a connection without login is
  // released when this function returns.
  await runLogin(context)
}

async function runLogin({ client, deps, listener, signal }: LoginContext): Promise<void> {
  const dialog = new LoginDialog(client, listener.tls?.context)
  for (;;) {
    const attempt = await dialog.nextAttempt()
    if (!attempt) return client.end()
    const { tag } = attempt
    const result = await logIn(deps, attempt.login, { address: client.address, signal })
    deps.metrics.logins.inc({ result: result.rejection?.result ?? 'ok' })
    if (!result.rejection) return startSession(client, tag, { deps, login: result })
    client.write(`${tag} NO ${result.rejection.text}`)
  }
}

function startSession(
  client: MailClient,
  tag: string,
  { deps, login }: { deps: RelayDeps; login: AuthenticatedLogin },
): void {
  if (!client.isDisconnected) return startRelay(client, tag, { deps, login })
  login.upstream.socket.destroy()
  login.permit[Symbol.dispose]()
}

/** Starts TLS with the mail client. Returns false on failure or timeout. */
async function startTls(client: MailClient, context: SecureContext): Promise<boolean> {
  const deadline = setTimeout(() => client.end(), tlsHandshakeTimeoutMs)
  try {
    return await client.startTls(context)
  } finally {
    clearTimeout(deadline)
  }
}
