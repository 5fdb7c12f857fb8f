import type { Socket } from 'node:net'
import type { Credentials } from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import { isLoopback, plainAddress } from '@posthorn/net/addresses'
import { connectSocket } from '@posthorn/net/connect-socket'
import type { EgressPolicy } from '@posthorn/net/egress'
import type { MailPorts } from '@posthorn/net/ports'
import { ignoreErrors } from '../sockets.ts'
import { capabilitiesIn, errorForBye, UpstreamLines } from './upstream-lines.ts'
import { logInUpstream } from './upstream-login.ts'
import { type BufferPool, UpstreamReader } from './upstream-reader.ts'
import { startTls, type TlsServer, type TlsSessionCache } from './upstream-tls.ts'

/** Mail server of an account, as registered with the account. */
export interface MailServer extends TlsServer {
  /** True for implicit TLS with the mail server, false for STARTTLS. */
  secure: boolean
  /**
   * True if the connection to the mail server may stay unencrypted when the server does not offer
   * STARTTLS.
   */
  allowsPlaintext: boolean
}

export interface UpstreamOptions {
  /**
   * Credentials for the login at the mail server, requested while the connection to the server is
   * being established.
   */
  credentials: Promise<Credentials>
  signal: AbortSignal
  /**
   * Port of this IMAP proxy's listener. A mail server whose address leads back to this port is
   * rejected.
   */
  ownPort: number | undefined
  egress: EgressPolicy
  mailPorts: MailPorts
  buffers: BufferPool
  tlsSessions: TlsSessionCache
}

export interface Upstream {
  socket: Socket
  /** Reader of a plaintext connection to the mail server; absent with TLS. */
  reader?: UpstreamReader
  /** IMAP capabilities of the mail server after the login, as announced to the client. */
  capabilities: string[]
  /** Bytes that the mail server sent after the login, which belong to the client. */
  rest: Buffer
}

/**
 * Text at the start of the greeting of imap-proxy, by which another imap-proxy recognizes that its
 * mail server is an imap-proxy.
 */
export const greetingText = 'Posthorn IMAP Proxy'

const connectTimeoutMs = 20_000
const keepAliveMs = 90_000

/**
 * Connects to the account's mail server, negotiates TLS and logs in. The returned socket belongs to
 * the caller.
 *
 * @throws AppError `rejected`, `rate-limited` or `unreachable`
 */
export async function connectToServer(
  server: MailServer,
  options: UpstreamOptions,
): Promise<Upstream> {
  const { signal } = options
  const reader = new UpstreamReader(options.buffers)
  let socket: Socket | undefined
  let isCancelled = false
  const cancel = () => {
    isCancelled = true
    socket?.destroy()
  }
  signal.addEventListener('abort', cancel)
  try {
    const connect = async () => {
      socket = await connectTcp(server, reader, options)
      // The connection to the mail server is closed if the credentials request has failed
      // meanwhile.
      if (isCancelled) socket.destroy()
      return negotiateTls(server, socket, options.tlsSessions)
    }
    const [{ lines, capabilities }, credentials] = await Promise.all([
      connect(),
      options.credentials,
    ])
    const { host, port } = server
    const announced = await logInUpstream({ lines, capabilities, host, port }, credentials)
    const current = announced ?? (await requestCapabilities(lines))
    signal.throwIfAborted()
    return {
      socket: lines.socket,
      capabilities: clientCapabilities(current),
      rest: lines.takeRest(),
      // The result for an opened mail server connection has the member `reader` only if the
      // connection is plaintext. A TLS socket allocates its own buffers.
      ...defined({ reader: lines.socket === socket ? reader : undefined }),
    }
  } catch (error) {
    cancel()
    if (error instanceof AppError && error.kind !== 'forbidden' && !signal.aborted) throw error
    throw new AppError('unreachable', 'The mail server is unreachable', { cause: error })
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

async function connectTcp(
  { host, port, proxy }: MailServer,
  reader: UpstreamReader,
  { signal, egress, mailPorts, ownPort }: UpstreamOptions,
): Promise<Socket> {
  const { socket } = await connectSocket(
    { host, port },
    { timeoutMs: connectTimeoutMs, egress, mailPorts, signal, reader, ...defined({ proxy }) },
  )
  socket.on('error', ignoreErrors)
  socket.setKeepAlive(true, keepAliveMs)
  // The mail server is this IMAP proxy if the remote port is the proxy's port and local and remote
  // end of the connection have the same address, as within one machine.
  if (socket.remotePort === ownPort && socket.remoteAddress === socket.localAddress) {
    socket.destroy()
    throw new AppError('unreachable', 'The mail server of the account is this proxy')
  }
  return socket
}

/**
 * Reads the greeting of the mail server, starts TLS and returns the capabilities that are valid
 * under TLS.
 */
async function negotiateTls(server: MailServer, tcp: Socket, tlsSessions: TlsSessionCache) {
  if (server.secure) {
    const lines = new UpstreamLines(await startTls(server, tcp, tlsSessions))
    const announced = await readGreeting(lines)
    return { lines, capabilities: announced ?? (await requestCapabilities(lines)) }
  }
  const plaintext = new UpstreamLines(tcp)
  const offered = (await readGreeting(plaintext)) ?? (await requestCapabilities(plaintext))
  if (!offered.has('STARTTLS')) {
    if (mayStayPlaintext(server, tcp)) return { lines: plaintext, capabilities: offered }
    throw new AppError('unreachable', 'The mail server offers no STARTTLS')
  }
  const { status } = await plaintext.command('STARTTLS')
  if (status !== 'OK') throw new AppError('unreachable', 'The mail server refused STARTTLS')
  // RFC 9051 §6.2.1: plaintext after the OK to STARTTLS, and earlier capabilities, may be
  // injected. Both are discarded.
  const lines = new UpstreamLines(await startTls(server, tcp, tlsSessions))
  return { lines, capabilities: await requestCapabilities(lines) }
}

/**
 * True if the connection to the mail server may stay without TLS: the account allows plaintext, or
 * the server is on this machine and not behind a proxy.
 */
function mayStayPlaintext(
  { allowsPlaintext, proxy }: MailServer,
  { remoteAddress }: Socket,
): boolean {
  return allowsPlaintext || (proxy === undefined && isLoopback(plainAddress(remoteAddress)))
}

async function readGreeting(lines: UpstreamLines): Promise<Set<string> | undefined> {
  const { kind, text } = await lines.read()
  // Rejects the IMAP greeting PREAUTH (RFC 9051 §7.1.4), which starts a session of another user.
  // Before TLS, PREAUTH would bypass TLS.
  if (kind !== 'untagged' || !/^OK\b/i.test(text)) throw errorForBye(text)
  // Rejects a mail server that leads back to an imap-proxy, which would cause an endless loop.
  if (text.includes(greetingText))
    throw new AppError('unreachable', 'The mail server of the account is a proxy of this kind')
  return capabilitiesIn(text)
}

async function requestCapabilities(lines: UpstreamLines): Promise<Set<string>> {
  const { status, capabilities } = await lines.command('CAPABILITY')
  if (status !== 'OK' || !capabilities)
    throw new AppError('unreachable', 'The mail server does not list its capabilities')
  return capabilities
}

/**
 * Capabilities that the interface spec names, in the order for the client. These capabilities come
 * first if the mail server has them.
 */
const leading = 'IMAP4rev1 LITERAL+ SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY'.split(
  ' ',
)
/**
 * Capabilities that a mail server has only before the login. The IMAP proxy does not announce them
 * to logged-in clients.
 */
const loginCapabilities = /^(?:AUTH=.*|STARTTLS|LOGINDISABLED)$/

/**
 * Capabilities that the IMAP proxy announces to the client: the mail server's capabilities, because
 * the commands of the client are relayed. A capability of the proxy that the server lacks would
 * make the client send commands that the server rejects.
 */
function clientCapabilities(capabilities: ReadonlySet<string>): string[] {
  const words = [...capabilities]
    .filter((word) => /^[!-~]{1,100}$/.test(word) && !loginCapabilities.test(word))
    .map((word) => word.replace(/^IMAP4REV/, 'IMAP4rev'))
  const first = leading.filter((word) => words.includes(word))
  return [...first, ...words.filter((word) => !leading.includes(word))]
}
