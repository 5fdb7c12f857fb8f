import type { Socket } from 'node:net'
import type { SecureVersion } from 'node:tls'
import type { Credentials } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { type EgressPolicy, connectSocket } from '@posthorn/net'
import { isLoopback, plainAddress } from '@posthorn/mail-frontend'
import { ignoreErrors } from './ignore-errors.ts'
import type { LargePieces } from './large-pieces.ts'
import type { TlsTickets } from './tls-tickets.ts'
import { UpstreamIntake } from './upstream-intake.ts'
import { capabilitiesIn, goodbye, UpstreamLines } from './upstream-lines.ts'
import { logIn } from './upstream-login.ts'
import { toTls } from './upstream-tls.ts'

/** The account's mail server, as registered. */
export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean
  /** Whether a certificate that does not check out ends it. */
  rejectUnauthorized: boolean
  minVersion: SecureVersion | undefined
  /** URL of a proxy that it is reached through. */
  proxy?: string
}

export interface UpstreamOptions {
  /** Awaited while the connection is made. */
  credentials: Promise<Credentials>
  /** Gives up. */
  signal: AbortSignal
  /** The port of our own listener: a server that leads back to it is refused. */
  ownPort: number | undefined
  egress: EgressPolicy
  /** To read large answers into. */
  large: LargePieces
  tickets: TlsTickets
}

export interface Upstream {
  socket: Socket
  /** What the socket reads by, where that is not left to Node. */
  intake?: UpstreamIntake
  /** What the server can do for who is logged in. */
  capabilities: string[]
  /** What the server said after its last line of the login: the client's. */
  rest: Buffer
}

/** How our own greeting begins. */
export const greetingWords = 'Posthorn IMAP Proxy'

const connectMs = 20_000
const keepAliveMs = 90_000

/**
 * Connects, goes over to TLS and logs in; hands over the bare socket.
 *
 * @throws AppError `rejected`, `rate-limited` or `unreachable`.
 */
export async function openUpstream(
  server: MailServer,
  options: UpstreamOptions,
): Promise<Upstream> {
  const { signal } = options
  const intake = new UpstreamIntake(options.large)
  let socket: Socket | undefined
  let over = false
  const cut = () => {
    over = true
    socket?.destroy()
  }
  signal.addEventListener('abort', cut)
  try {
    const reached = async () => {
      socket = await dial(server, intake, options)
      // There are no credentials, and nobody waits for it any more.
      if (over) socket.destroy()
      return secured(server, socket, options.tickets)
    }
    const [{ lines, capabilities }, credentials] = await Promise.all([
      reached(),
      options.credentials,
    ])
    const told = await logIn(
      { lines, capabilities, host: server.host, port: server.port },
      credentials,
    )
    const after = told ?? (await askCapabilities(lines))
    signal.throwIfAborted()
    return {
      socket: lines.socket,
      capabilities: forClients(after),
      rest: lines.takeRest(),
      // TLS brings its own memory.
      ...(lines.socket === socket ? { intake } : {}),
    }
  } catch (error) {
    cut()
    if (error instanceof AppError && error.kind !== 'forbidden' && !signal.aborted) throw error
    throw new AppError('unreachable', 'The mail server cannot be reached', { cause: error })
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

async function dial(
  { host, port, proxy }: MailServer,
  intake: UpstreamIntake,
  { signal, egress, ownPort }: UpstreamOptions,
): Promise<Socket> {
  const through = proxy === undefined ? {} : { proxy }
  const { socket } = await connectSocket(
    { host, port },
    { timeoutMs: connectMs, egress, signal, reader: intake, ...through },
  )
  socket.on('error', ignoreErrors)
  socket.setKeepAlive(true, keepAliveMs)
  // A connection between two sockets of one machine has the same address at both ends.
  if (socket.remotePort === ownPort && socket.remoteAddress === socket.localAddress) {
    socket.destroy()
    throw new AppError('unreachable', 'The mail server of the account is this proxy')
  }
  return socket
}

/** The greeting, TLS, and what the server can do under it. */
async function secured(server: MailServer, tcp: Socket, tickets: TlsTickets) {
  if (server.secure) {
    const lines = new UpstreamLines(await toTls(server, tcp, tickets))
    const told = await greeting(lines)
    return { lines, capabilities: told ?? (await askCapabilities(lines)) }
  }
  const clear = new UpstreamLines(tcp)
  const offered = (await greeting(clear)) ?? (await askCapabilities(clear))
  if (!offered.has('STARTTLS')) {
    if (mayStayClear(server, tcp)) return { lines: clear, capabilities: offered }
    throw new AppError('unreachable', 'The mail server offers no STARTTLS')
  }
  const { status } = await clear.command('STARTTLS')
  if (status !== 'OK') throw new AppError('unreachable', 'The mail server refused STARTTLS')
  // RFC 9051 §6.2.1: what was said in the clear after the OK, and before of capabilities, may be anybody's: it is dropped.
  const lines = new UpstreamLines(await toTls(server, tcp, tickets))
  return { lines, capabilities: await askCapabilities(lines) }
}

/** A password goes over the network in the clear only where the account says that nobody's certificate matters. */
function mayStayClear({ rejectUnauthorized }: MailServer, { remoteAddress }: Socket): boolean {
  return !rejectUnauthorized || isLoopback(plainAddress(remoteAddress))
}

async function greeting(lines: UpstreamLines): Promise<Set<string> | undefined> {
  const { kind, text } = await lines.read()
  // PREAUTH (RFC 9051 §7.1.4) is somebody's session, and before TLS a way around it: not this account's login.
  if (kind !== 'untagged' || !/^OK\b/i.test(text)) throw goodbye(text)
  // Another replica of ours, or one that leads to it: going on would never end.
  if (text.includes(greetingWords))
    throw new AppError('unreachable', 'The mail server of the account is a proxy of this kind')
  return capabilitiesIn(text)
}

async function askCapabilities(lines: UpstreamLines): Promise<Set<string>> {
  const { status, capabilities } = await lines.command('CAPABILITY')
  if (status !== 'OK' || !capabilities)
    throw new AppError('unreachable', 'The mail server does not say what it can do')
  return capabilities
}

/** How one logs in and goes over to TLS is behind the client. COMPRESS stays: what passes is not looked at. */
const done = /^(?:AUTH=.*|STARTTLS|LOGINDISABLED|LOGIN-REFERRALS)$/

function forClients(capabilities: ReadonlySet<string>): string[] {
  return [...capabilities]
    .filter((word) => /^[!-~]{1,100}$/.test(word) && !done.test(word))
    .map((word) => word.replace(/^IMAP4REV/, 'IMAP4rev'))
}
