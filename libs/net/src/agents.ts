import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '@posthorn/errors'
import { SingleFlight } from '@posthorn/flow'
import {
  assertAllowed,
  type EgressPolicy,
  type Lookup,
  resolveAllowed,
  type ResolvedAddress,
  noAddress,
  withoutBrackets,
} from './egress.ts'
import { connectSocket } from './connect-socket.ts'
import { assertHttpPort } from './ports.ts'

interface AgentsOptions {
  policy: EgressPolicy
  /** Maximum number of concurrent HTTP connections per host that an HTTP agent opens. */
  maxSockets: number
  lookup?: Lookup | undefined
  /**
   * Proxy for all outgoing HTTP connections. The address of the proxy has an egress policy of its
   * own.
   */
  proxy?: { url: string; egress: EgressPolicy; timeoutMs: number } | undefined
}

export interface Agents extends Disposable {
  http: HttpAgent
  https: HttpsAgent
}

/**
 * Time after which an idle HTTP connection is closed. Shorter than the usual idle time of servers:
 * if the server closed the connection first, a new request on it would be lost.
 */
const idleMs = 4_000

/**
 * Creates HTTP agents that connect only to addresses allowed by the egress policy. The address is
 * checked when a connection is opened, so a host name cannot bypass the check by changing its
 * address. Hosts given as IP addresses are checked separately, because Node calls no lookup for
 * them.
 */
export function createAgents(options: AgentsOptions): Agents {
  const { maxSockets, policy, lookup, proxy } = options
  const direct = createGuard(policy, lookup)
  const guard = (secure: boolean) => (proxy ? createTunnel(options, proxy, secure) : direct)
  const agentOptions = {
    keepAlive: true,
    maxSockets,
    maxFreeSockets: 256,
    timeout: idleMs,
    scheduling: 'lifo',
  } as const
  const http = guarded(new HttpAgent(agentOptions), guard(false), policy)
  const https = guarded(new HttpsAgent(agentOptions), guard(true), policy)
  return {
    http,
    https,
    [Symbol.dispose]() {
      http.destroy()
      https.destroy()
    },
  }
}

type Connected = (error: Error | null, stream: Duplex) => void
type Connection = ReturnType<HttpAgent['createConnection']>
type Connect = (options: ClientRequestArgs, connected?: Connected) => Connection
type Guard = (connect: Connect, options: ClientRequestArgs, connected?: Connected) => Connection

/**
 * Makes an HTTP agent open all of its connections through the function `guard`, and only to allowed
 * ports.
 */
function guarded<A extends HttpAgent>(agent: A, guard: Guard, policy: EgressPolicy): A {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, connected) => {
    try {
      assertHttpPort(Number(options.port ?? options.defaultPort), policy)
    } catch (error) {
      fail(connected, error as Error)
      return undefined
    }
    return guard(connect, options, connected)
  }
  return agent
}

function createGuard(policy: EgressPolicy, lookup: Lookup | undefined): Guard {
  const guardedLookup = createGuardedLookup(policy, lookup)
  return (connect, options, connected) => {
    try {
      if (options.socketPath)
        throw new AppError('forbidden', 'Unix domain sockets are not allowed', {
          code: 'EEGRESSBLOCKED',
        })
      const host = withoutBrackets(options.host ?? options.hostname ?? 'localhost')
      if (isIP(host) !== 0) assertAllowed(host, policy)
      return connect({ ...options, host, lookup: guardedLookup }, connected)
    } catch (error) {
      // An error while an HTTP agent opens a connection is reported to the agent's callback,
      // because a thrown error would make the agent count its connections wrongly.
      fail(connected, error as Error)
      return undefined
    }
  }
}

/**
 * Reports a failed connection to the HTTP agent. In this case Node passes no stream to the
 * callback, although the type of the callback requires a stream.
 */
function fail(connected: Connected | undefined, error: Error): void {
  const failed = connected as ((error: Error) => void) | undefined
  failed?.(error)
}

/**
 * Opens connections to an HTTP server through a proxy. The proxy resolves host names, so that the
 * egress policy can only check hosts given as IP addresses.
 */
function createTunnel(
  { policy: egress, lookup }: AgentsOptions,
  { url, egress: proxyEgress, timeoutMs }: NonNullable<AgentsOptions['proxy']>,
  secure: boolean,
): Guard {
  const { signal } = new AbortController()
  const through = { egress, proxyEgress, timeoutMs, signal, proxy: url, lookup }
  return (connect, request, connected) => {
    const host = withoutBrackets(request.host ?? request.hostname ?? 'localhost')
    const port = Number(request.port ?? request.defaultPort)
    connectSocket({ host, port }, through)
      .then(({ socket }) => {
        connected?.(null, secure ? connectTlsOver(connect, request, socket) : socket)
        // The connection through the proxy is paused until Node's HTTP parser has been attached, so
        // that no bytes are lost.
        if (!secure) setImmediate(() => socket.resume())
      })
      .catch((error: Error) => fail(connected, error))
    return undefined
  }
}

/**
 * Starts TLS with the HTTP server on a connection through a proxy. The verified certificate is the
 * certificate of the server, not of the proxy.
 */
function connectTlsOver(connect: Connect, request: ClientRequestArgs, socket: Socket): Duplex {
  const secured = connect({ ...request, socket } as ClientRequestArgs)
  if (secured === undefined || secured === null) throw new Error('no TLS over this connection')
  return secured as Duplex
}

/**
 * Creates the function that Node calls to look up a host name. The function uses `resolveAllowed`.
 * Concurrent lookups of the same name are merged: the system resolver has four threads, and a
 * single slow name must not occupy all of them.
 */
function createGuardedLookup(policy: EgressPolicy, lookup: Lookup | undefined): LookupFunction {
  const lookups = new SingleFlight<string, ResolvedAddress[]>()
  return (host, options, done) => {
    lookups
      .run(host, () => resolveAllowed(host, policy, { lookup }))
      .then(
        (addresses) => {
          const [first] = addresses
          if (!first) done(noAddress(`${host} has no address`), '')
          else if (options.all) done(null, addresses)
          else done(null, first.address, first.family)
        },
        (error: NodeJS.ErrnoException) => done(error, ''),
      )
  }
}
