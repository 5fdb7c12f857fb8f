import { once } from 'node:events'
import { connect, isIP, type OnReadOpts, type Socket } from 'node:net'
import { AppError } from '@posthorn/errors'
import {
  assertAllowed,
  type EgressPolicy,
  type Lookup,
  resolveAllowed,
  type ResolvedAddress,
  noAddress,
  withoutBrackets,
} from './egress.ts'
import { assertMailPort, assertProxyPort, type MailPorts } from './ports.ts'
import { parseProxy, type Proxy, connectThroughProxy } from './proxy.ts'

interface Endpoint {
  host: string
  port: number
}

/**
 * Reader of a TCP socket that supplies the buffers for received bytes. Reusing buffers saves an
 * allocation for each read.
 */
export interface SocketReader {
  /** Returns the buffer into which the next bytes of the TCP socket are read. */
  nextBuffer(): Uint8Array
  /**
   * Called with bytes that the TCP socket has received, which are in the buffer from `nextBuffer`.
   * Returns false to pause the socket until it is resumed.
   */
  onBytes(bytes: Uint8Array, socket: Socket): boolean
}

export interface ConnectSocketOptions {
  /**
   * Maximum total time for opening a TCP connection: host lookups, connection attempts and the
   * handshake with a proxy.
   */
  timeoutMs: number
  egress: EgressPolicy
  /**
   * Egress policy for the address of the proxy through which a TCP connection is opened. Defaults
   * to `egress`.
   */
  proxyEgress?: EgressPolicy
  /**
   * Ports that mail connections may use. Other ports of servers are rejected, and so are proxies on
   * ports of other services. If absent, all ports are allowed.
   */
  mailPorts?: MailPorts
  signal: AbortSignal
  /**
   * URL of the proxy through which a TCP connection is opened, with one of the schemes `http:`,
   * `https:`, `socks:`, `socks4:`, `socks4a:` or `socks5:`.
   */
  proxy?: string
  /**
   * Preferred source addresses of the connection, in order. The first address that this machine has
   * and that fits the server's address family is used. If there is none, the operating system
   * chooses.
   */
  localAddresses?: readonly string[]
  /**
   * Function that looks up host names. Tests replace the operating system's resolver by this
   * function.
   */
  lookup?: Lookup | undefined
  /**
   * Reader that receives all bytes of the TCP socket, including bytes from the proxy. If TLS is
   * started on the socket, the reader receives nothing more.
   */
  reader?: SocketReader
}

export interface ConnectedSocket {
  socket: Socket
  /**
   * Source address of the socket, if it is one of the preferred source addresses `localAddresses`.
   */
  localAddress?: string
}

/**
 * Opens a TCP connection to the first reachable address of a server, directly or through a proxy.
 * Only addresses that were checked are used. TCP_NODELAY is set, because Nagle's algorithm makes
 * line-based protocols about 30 times slower.
 *
 * With a proxy, the egress policy applies to the address of the proxy. It also applies to the
 * server if its address is known: the host is an IP address, or this process resolves the host for
 * SOCKS 4. The proxy resolves all other host names.
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED` for the server; AppError `unreachable` `EPROXY` for
 * any failure up to the proxy; the signal's reason; the system's error; DOMException `TimeoutError`
 */
export async function connectSocket(
  target: Endpoint,
  options: ConnectSocketOptions,
): Promise<ConnectedSocket> {
  const { timeoutMs, egress, proxyEgress = egress, signal, proxy, localAddresses = [] } = options
  const { reader, lookup, mailPorts } = options
  if (mailPorts) assertMailPort(target, mailPorts)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const plan = { deadline, timeoutMs, localAddresses, reader }
  const resolve = (host: string, policy = egress) =>
    resolveAllowed(host, policy, { signal: deadline, lookup })
  if (proxy === undefined)
    return connectToFirst(await resolve(target.host), { ...plan, port: target.port })
  const server = parseProxy(proxy)
  const endpoint = await proxiedEndpoint(target, server, { egress, resolve })
  const connected = await asProxyFault(server, signal, async () => {
    if (mailPorts) assertProxyPort(server, mailPorts)
    return connectToFirst(await resolve(server.host, proxyEgress), { ...plan, port: server.port })
  })
  const abort = () => connected.socket.destroy()
  deadline.addEventListener('abort', abort, { once: true })
  try {
    return { ...connected, socket: await connectThroughProxy(connected.socket, server, endpoint) }
  } catch (error) {
    connected.socket.destroy()
    signal.throwIfAborted()
    throw error
  } finally {
    deadline.removeEventListener('abort', abort)
  }
}

/**
 * Returns the host and port of the server to which a proxy has to connect. For SOCKS 4, the host is
 * resolved to an IPv4 address.
 */
async function proxiedEndpoint(
  { host, port }: Endpoint,
  { kind }: Proxy,
  {
    egress,
    resolve,
  }: { egress: EgressPolicy; resolve: (host: string) => Promise<ResolvedAddress[]> },
): Promise<Endpoint> {
  const name = withoutBrackets(host)
  if (isIP(name) !== 0) assertAllowed(name, egress)
  if (kind !== 'socks4') return { host: name, port }
  const resolved = (await resolve(host)).find(({ family }) => family === 4)
  if (!resolved)
    throw new AppError('unreachable', `${host} has no IPv4 address, which SOCKS 4 requires`, {
      code: 'EPROXY',
    })
  return { host: resolved.address, port }
}

/**
 * Connects to a proxy. Failures are reported as `EPROXY`, because an unreachable or forbidden proxy
 * is not a fault of the server.
 */
async function asProxyFault(
  { host, port }: Proxy,
  signal: AbortSignal,
  connectProxy: () => Promise<ConnectedSocket>,
): Promise<ConnectedSocket> {
  try {
    return await connectProxy()
  } catch (cause) {
    if (signal.aborted) throw cause
    const message =
      cause instanceof AppError
        ? `The egress policy forbids the proxy: ${cause.message}`
        : `The proxy ${host}:${port} is unreachable: ${reasonOf(cause)}`
    throw new AppError('unreachable', message, { code: 'EPROXY', cause })
  }
}

function reasonOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException
  return code ?? (name === 'TimeoutError' ? 'ETIMEDOUT' : 'no response')
}

interface ConnectPlan {
  port: number
  deadline: AbortSignal
  timeoutMs: number
  localAddresses: readonly string[]
  reader: SocketReader | undefined
}

type ConnectTarget = Endpoint & Pick<ConnectPlan, 'reader'>

/**
 * Connects to the first reachable address of a server. Addresses are tried one after the other,
 * each for an equal share of the time. Address families for which a local source address exists are
 * tried first.
 */
async function connectToFirst(
  addresses: ResolvedAddress[],
  plan: ConnectPlan,
): Promise<ConnectedSocket> {
  const { deadline, timeoutMs, localAddresses, port, reader } = plan
  const localAddressesOf = (family: 4 | 6) =>
    localAddresses.filter((local) => isIP(local) === family)
  const ordered = addresses.toSorted(
    (a, b) =>
      Number(localAddressesOf(b.family).length > 0) - Number(localAddressesOf(a.family).length > 0),
  )
  const shareMs = Math.ceil(timeoutMs / Math.max(1, ordered.length))
  let lastError: unknown = noAddress('The host has no address')
  for (const { address, family } of ordered) {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(shareMs)])
    try {
      const server = { host: address, port, reader }
      return await connectFromFirst(server, localAddressesOf(family), signal)
    } catch (error) {
      lastError = error
    }
    if (deadline.aborted) break
  }
  throw lastError
}

/**
 * Connects to a server from the first preferred source address that exists on this machine. Other
 * source addresses in the list may belong to other replicas.
 */
async function connectFromFirst(
  target: ConnectTarget,
  localAddresses: readonly string[],
  signal: AbortSignal,
): Promise<ConnectedSocket> {
  for (const localAddress of localAddresses) {
    try {
      return { socket: await connectTo({ ...target, localAddress }, signal), localAddress }
    } catch (error) {
      if (!isUnavailableLocalAddress(error)) throw error
    }
  }
  return { socket: await connectTo(target, signal) }
}

/**
 * True if the error of a TCP connection occurred when its source address was bound (`bind`). Errors
 * of `connect` do not count: they have equal codes if no port is left.
 */
function isUnavailableLocalAddress(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  return syscall === 'bind' && ['EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT'].includes(code)
}

async function connectTo(
  { reader, ...endpoint }: ConnectTarget & { localAddress?: string },
  signal: AbortSignal,
): Promise<Socket> {
  const socket: Socket = connect({
    ...endpoint,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    ...(reader ? { onread: readInto(reader, () => socket) } : {}),
  })
  // This error listener remains on the TCP socket, because an error without a listener would end
  // the process.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : error
  }
}

function readInto(reader: SocketReader, socket: () => Socket): OnReadOpts {
  return {
    buffer: () => reader.nextBuffer(),
    callback: (count, buffer) => reader.onBytes(buffer.subarray(0, count), socket()),
  }
}
