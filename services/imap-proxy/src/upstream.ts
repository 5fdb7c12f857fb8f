import { once } from 'node:events'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type SecureVersion, type TLSSocket } from 'node:tls'
import type { Credentials } from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import { assertAllowed, resolveAllowed } from '@posthorn/net'
import { capabilitiesIn, goodbye, UpstreamLines } from './upstream-lines.ts'
import { logIn } from './upstream-login.ts'

/** The account's mail server, as registered. */
export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte; otherwise STARTTLS. */
  secure: boolean
  /** Whether a certificate that does not check out ends it. */
  rejectUnauthorized: boolean
  minVersion: SecureVersion | undefined
}

export interface UpstreamOptions {
  credentials: Credentials
  /** Gives up. */
  signal: AbortSignal
  /** The port of our own listener: a server that leads back to it is refused. */
  ownPort: number | undefined
}

export interface Upstream {
  socket: Socket
  /** What the server said after its last line of the login: the client's. */
  rest: Buffer
}

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
  // Errors of the socket have their `close`; with one listener there at all times they never end the process.
  const sockets: Socket[] = []
  const keep = <T extends Socket>(socket: T): T => {
    sockets.push(socket)
    return socket.on('error', () => undefined)
  }
  const cut = () => sockets.forEach((socket) => socket.destroy())
  signal.addEventListener('abort', cut)
  try {
    const tcp = keep(dial(server))
    await opened(tcp, 'connect')
    refuseLoop(tcp, options.ownPort)
    const { lines, capabilities } = await secured(server, tcp, keep)
    await logIn({ lines, capabilities, host: server.host, port: server.port }, options.credentials)
    signal.throwIfAborted()
    return { socket: lines.socket, rest: lines.takeRest() }
  } catch (error) {
    cut()
    if (error instanceof AppError && !signal.aborted) throw error
    throw new AppError('unreachable', 'The mail server cannot be reached', { cause: error })
  } finally {
    signal.removeEventListener('abort', cut)
  }
}

function dial({ host, port }: MailServer): Socket {
  // Node looks nothing up for an address: it is judged here.
  if (isIP(host) !== 0) assertAllowed(host, 'link-local')
  const socket = connect({ host, port, allowHalfOpen: true, lookup })
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 90_000)
  return socket
}

/** Mail servers may be anywhere but at the addresses a cloud keeps for itself. */
const lookup: LookupFunction = (host, options, done) => {
  resolveAllowed(host, 'link-local').then(
    (addresses) => {
      const [first] = addresses
      if (!first) done(new Error(`${host} has no address`), '')
      else if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    },
    (error: NodeJS.ErrnoException) => done(error, ''),
  )
}

function refuseLoop(socket: Socket, ownPort: number | undefined): void {
  // A connection between two sockets of one machine has the same address at both ends.
  if (socket.remotePort === ownPort && socket.remoteAddress === socket.localAddress)
    throw new AppError('unreachable', 'The mail server of the account is this proxy')
}

type Keep = <T extends Socket>(socket: T) => T

/** The greeting, TLS, and what the server can do under it. */
async function secured(server: MailServer, tcp: Socket, keep: Keep) {
  if (server.secure) {
    const lines = new UpstreamLines(await toTls(server, tcp, keep))
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
  const lines = new UpstreamLines(await toTls(server, tcp, keep))
  return { lines, capabilities: await askCapabilities(lines) }
}

/** A password goes over the network in the clear only where the account says that nobody's certificate matters. */
function mayStayClear({ rejectUnauthorized }: MailServer, { remoteAddress = '' }: Socket): boolean {
  return (
    !rejectUnauthorized ||
    remoteAddress === '::1' ||
    remoteAddress.replace('::ffff:', '').startsWith('127.')
  )
}

async function toTls(server: MailServer, socket: Socket, keep: Keep): Promise<TLSSocket> {
  const { host, rejectUnauthorized, minVersion = 'TLSv1.2' } = server
  const secure = keep(
    connectTls({
      socket,
      rejectUnauthorized,
      minVersion,
      ...(isIP(host) === 0 ? { servername: host } : { host }),
    }),
  )
  await opened(secure, 'secureConnect')
  return secure
}

async function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const closed = new AbortController()
  const onClose = () => closed.abort()
  socket.once('close', onClose)
  try {
    await once(socket, event, { signal: closed.signal })
  } catch (cause) {
    throw new AppError('unreachable', `The mail server cannot be reached (${messageOf(cause)})`, {
      cause,
    })
  } finally {
    socket.off('close', onClose)
  }
}

async function greeting(lines: UpstreamLines): Promise<Set<string> | undefined> {
  const { kind, text } = await lines.read()
  // PREAUTH (RFC 9051 §7.1.4) is somebody's session, and before TLS a way around it: not this account's login.
  if (kind !== 'untagged' || !/^OK\b/i.test(text)) throw goodbye(text)
  return capabilitiesIn(text)
}

async function askCapabilities(lines: UpstreamLines): Promise<Set<string>> {
  const { status, capabilities } = await lines.command('CAPABILITY')
  if (status !== 'OK' || !capabilities)
    throw new AppError('unreachable', 'The mail server does not say what it can do')
  return capabilities
}
