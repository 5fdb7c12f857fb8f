import { once } from 'node:events'
import { connect, isIP, type OnReadOpts, type Socket } from 'node:net'
import { AppError } from '@posthorn/errors'
import {
  assertAllowed,
  type EgressPolicy,
  type Lookup,
  resolveAllowed,
  type ResolvedAddress,
  withoutBrackets,
} from './egress.ts'
import { parseProxy, type Proxy, tunnel } from './proxy.ts'

export interface Endpoint {
  host: string
  port: number
}

/** Takes what a socket reads from memory of its own, in place of new memory for each piece. */
export interface Intake {
  /** What is read into next; asked for again after each piece. */
  memory(): Uint8Array
  /** A piece, in that memory. False stops reading until the socket is resumed. */
  take(piece: Uint8Array, socket: Socket): boolean
}

export interface OpenSocketOptions {
  /** For everything: lookups, connections, and what there is to say to a proxy. */
  timeoutMs: number
  egress: EgressPolicy
  /** For the proxy itself; default: as for the server. */
  proxyEgress?: EgressPolicy
  signal: AbortSignal
  /** URL of a proxy to go through: `http:`, `https:`, `socks:`, `socks4:`, `socks4a:` or `socks5:`. */
  proxy?: string
  /** Addresses of this machine to connect from: the first that it has and that is of the server's family, else the system's choice. */
  localAddresses?: readonly string[]
  /** The system's resolver, unless a test has its own. */
  lookup?: Lookup
  /** Is given all that comes, also of what the proxy says. TLS over the socket goes by it. */
  intake?: Intake
}

export interface OpenedSocket {
  socket: Socket
  /** The one of `localAddresses` that it is bound to. */
  localAddress?: string
}

/**
 * A TCP connection to a server that is not ours, to the first of its addresses that answers, directly or through a proxy. The address
 * that was judged is the one connected to. Without Nagle's delay, which makes conversations of short lines some thirty times slower.
 *
 * Through a proxy the policy judges the proxy's address, and the server's wherever we know it: a literal one, and those that SOCKS 4
 * has us look up. Otherwise the proxy resolves the name, and goes where it may.
 *
 * @throws AppError `forbidden` `EEGRESSBLOCKED` about the server; AppError `unreachable` `EPROXY` for everything between us and the
 * proxy; the signal's reason; the system's error; DOMException `TimeoutError`
 */
export async function openSocket(
  target: Endpoint,
  options: OpenSocketOptions,
): Promise<OpenedSocket> {
  const { timeoutMs, egress, proxyEgress = egress, signal, proxy, localAddresses = [] } = options
  const { intake } = options
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const from = { deadline, timeoutMs, localAddresses, ...(intake ? { intake } : {}) }
  const looking = { signal: deadline, ...(options.lookup ? { lookup: options.lookup } : {}) }
  const resolve = (host: string, policy = egress) => resolveAllowed(host, policy, looking)
  if (proxy === undefined)
    return connectToFirst(await resolve(target.host), { ...from, port: target.port })
  const server = parseProxy(proxy)
  const asked = await destination(target, server, { egress, resolve })
  const opened = await reached(server, signal, async () =>
    connectToFirst(await resolve(server.host, proxyEgress), { ...from, port: server.port }),
  )
  const giveUp = () => opened.socket.destroy()
  deadline.addEventListener('abort', giveUp, { once: true })
  try {
    return { ...opened, socket: await tunnel(opened.socket, server, asked) }
  } catch (error) {
    opened.socket.destroy()
    signal.throwIfAborted()
    throw error
  } finally {
    deadline.removeEventListener('abort', giveUp)
  }
}

/** What the proxy is asked to connect to. SOCKS 4 knows nothing but IPv4 addresses. */
async function destination(
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
  const found = (await resolve(host)).find(({ family }) => family === 4)
  if (!found)
    throw new AppError('unreachable', `${host} has no IPv4 address, and SOCKS 4 no other`, {
      code: 'EPROXY',
    })
  return { host: found.address, port }
}

/**
 * A proxy that cannot be reached is no fault of the server behind it; nor is one that may not be where it is: whoever set it will set
 * another.
 */
async function reached(
  { host, port }: Proxy,
  signal: AbortSignal,
  open: () => Promise<OpenedSocket>,
): Promise<OpenedSocket> {
  try {
    return await open()
  } catch (cause) {
    if (signal.aborted) throw cause
    const message =
      cause instanceof AppError
        ? `The proxy may not be connected to: ${cause.message}`
        : `The proxy ${host}:${port} cannot be reached: ${reasonOf(cause)}`
    throw new AppError('unreachable', message, { code: 'EPROXY', cause })
  }
}

function reasonOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException
  return code ?? (name === 'TimeoutError' ? 'ETIMEDOUT' : 'no answer')
}

interface From {
  port: number
  deadline: AbortSignal
  timeoutMs: number
  localAddresses: readonly string[]
  intake?: Intake
}

interface Way extends Endpoint {
  intake: Intake | undefined
}

/** One address after the other: one that does not answer leaves time for the next ones. Those that we have an address for go first. */
async function connectToFirst(addresses: ResolvedAddress[], from: From): Promise<OpenedSocket> {
  const { deadline, timeoutMs, localAddresses, port, intake } = from
  const fitting = (family: 4 | 6) => localAddresses.filter((local) => isIP(local) === family)
  const ordered = addresses.toSorted(
    (a, b) => Number(fitting(b.family).length > 0) - Number(fitting(a.family).length > 0),
  )
  const shareMs = Math.ceil(timeoutMs / Math.max(1, ordered.length))
  let last: unknown = Object.assign(new Error('The host has no address'), { code: 'ENOTFOUND' })
  for (const { address, family } of ordered) {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(shareMs)])
    try {
      return await connectFromFirst({ host: address, port, intake }, fitting(family), signal)
    } catch (error) {
      last = error
    }
    if (deadline.aborted) break
  }
  throw last
}

/** An address that this machine does not have is left out: other replicas may have it. */
async function connectFromFirst(
  way: Way,
  localAddresses: readonly string[],
  signal: AbortSignal,
): Promise<OpenedSocket> {
  for (const localAddress of localAddresses) {
    try {
      return { socket: await connectTo({ ...way, localAddress }, signal), localAddress }
    } catch (error) {
      if (!isNotOurs(error)) throw error
    }
  }
  return { socket: await connectTo(way, signal) }
}

/** `bind` failed, and not `connect`, which may say the same when it runs out of ports. */
function isNotOurs(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  return syscall === 'bind' && ['EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT'].includes(code)
}

async function connectTo(
  { intake, ...endpoint }: Way & { localAddress?: string },
  signal: AbortSignal,
): Promise<Socket> {
  const socket: Socket = connect({
    ...endpoint,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    ...(intake ? { onread: readInto(intake, () => socket) } : {}),
  })
  // Until its user listens, and after: an error nobody listens for would end the process.
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? signal.reason : error
  }
}

function readInto(intake: Intake, socket: () => Socket): OnReadOpts {
  return {
    buffer: () => intake.memory(),
    callback: (count, memory) => intake.take(memory.subarray(0, count), socket()),
  }
}
