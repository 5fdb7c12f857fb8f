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
  /** Maximum number of HTTP connections per host. */
  maxSockets: number
  lookup?: Lookup | undefined
  /**
   * Proxy for all HTTP connections. The proxy's own address is checked against its own egress
   * policy.
   */
  proxy?: { url: string; egress: EgressPolicy; timeoutMs: number } | undefined
}

export interface Agents extends Disposable {
  http: HttpAgent
  https: HttpsAgent
}

/**
 * Idle time of a kept HTTP connection. Shorter than usual server timeouts, which would lose a
 * request.
 */
const idleMs = 4_000

/**
 * Creates HTTP agents that connect only to addresses allowed by the egress policy. The check is
 * made when a connection is opened, on the address that is connected to. Literal hosts are checked
 * as well, although Node calls no lookup for literal hosts. A name that changes its address
 * therefore gains nothing.
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

/** Makes all connections of an HTTP agent through the guard, to allowed ports only. */
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
      // An exception would leave the HTTP agent's connection count wrong.
      fail(connected, error as Error)
      return undefined
    }
  }
}

/**
 * Reports the failure of a connection to the HTTP agent. Node passes no stream then, unlike its
 * type says.
 */
function fail(connected: Connected | undefined, error: Error): void {
  const failed = connected as ((error: Error) => void) | undefined
  failed?.(error)
}

/**
 * Connects to an HTTP server through a proxy, which resolves names itself. Literal addresses are
 * checked here.
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
        // The socket to the HTTP server is paused until the HTTP parser has been attached.
        if (!secure) setImmediate(() => socket.resume())
      })
      .catch((error: Error) => fail(connected, error))
    return undefined
  }
}

/** Starts TLS with the HTTP server behind the proxy; the certificate is the server's. */
function connectTlsOver(connect: Connect, request: ClientRequestArgs, socket: Socket): Duplex {
  const secured = connect({ ...request, socket } as ClientRequestArgs)
  if (secured === undefined || secured === null) throw new Error('no TLS over this connection')
  return secured as Duplex
}

/**
 * Creates Node's lookup hook over `resolveAllowed`. Concurrent lookups of one name are merged: the
 * system resolver has four threads, and one slow name must not occupy all threads.
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
