import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '@posthorn/errors'
import {
  assertAllowed,
  type EgressPolicy,
  type Lookup,
  resolveAllowed,
  type ResolvedAddress,
  withoutBrackets,
} from './egress.ts'
import { openSocket } from './open-socket.ts'

export interface AgentsOptions {
  policy: EgressPolicy
  /** Connections to one host at the same time. */
  maxSockets: number
  lookup?: Lookup
  /** Everything goes through it. Its own address is judged by its own policy. */
  proxy?: { url: string; egress: EgressPolicy; timeoutMs: number }
}

export interface Agents extends Disposable {
  http: HttpAgent
  https: HttpsAgent
}

/** Shorter than servers commonly keep an idle connection: a request written while the server closes it would be lost. */
const idleMs = 4_000

/**
 * A pair of agents whose connections go only to addresses that passed the policy. Judged when a connection is made and on the very
 * address it is made to, literal hosts included (Node calls no lookup for them), so a name that changes its address gains nothing.
 */
export function createAgents(given: AgentsOptions): Agents {
  const { maxSockets, policy, lookup, proxy } = given
  const direct = createGuard(policy, lookup)
  const guard = (secure: boolean) => (proxy ? createTunnel(given, proxy, secure) : direct)
  const options = {
    keepAlive: true,
    maxSockets,
    maxFreeSockets: 256,
    timeout: idleMs,
    scheduling: 'lifo',
  } as const
  const http = new GuardedHttpAgent(options, guard(false))
  const https = new GuardedHttpsAgent(options, guard(true))
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

class GuardedHttpAgent extends HttpAgent {
  readonly #guard: Guard

  constructor(options: AgentOptions, guard: Guard) {
    super(options)
    this.#guard = guard
  }

  override createConnection(options: ClientRequestArgs, connected?: Connected) {
    return this.#guard((...given) => super.createConnection(...given), options, connected)
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  readonly #guard: Guard

  constructor(options: AgentOptions, guard: Guard) {
    super(options)
    this.#guard = guard
  }

  override createConnection(options: ClientRequestArgs, connected?: Connected) {
    return this.#guard((...given) => super.createConnection(...given), options, connected)
  }
}

function createGuard(policy: EgressPolicy, lookup: Lookup | undefined): Guard {
  const guardedLookup = createGuardedLookup(policy, lookup)
  return (connect, options, connected) => {
    try {
      if (options.socketPath)
        throw new AppError('forbidden', 'Sockets of this machine are not allowed', {
          code: 'EEGRESSBLOCKED',
        })
      const host = withoutBrackets(options.host ?? options.hostname ?? 'localhost')
      if (isIP(host) !== 0) assertAllowed(host, policy)
      return connect({ ...options, host, lookup: guardedLookup }, connected)
    } catch (error) {
      // Thrown, it would leave the agent's count of connections wrong.
      const failed = connected as ((error: Error) => void) | undefined
      failed?.(error as Error)
      return undefined
    }
  }
}

/** Connections through a proxy, which resolves names and goes where it may; literal addresses are judged here all the same. */
function createTunnel(
  { policy: egress, lookup }: AgentsOptions,
  { url, egress: proxyEgress, timeoutMs }: NonNullable<AgentsOptions['proxy']>,
  secure: boolean,
): Guard {
  const { signal } = new AbortController()
  const through = {
    egress,
    proxyEgress,
    timeoutMs,
    signal,
    proxy: url,
    ...(lookup ? { lookup } : {}),
  }
  return (connect, asked, connected) => {
    const host = withoutBrackets(asked.host ?? asked.hostname ?? 'localhost')
    const port = Number(asked.port ?? asked.defaultPort)
    const failed = connected as ((error: Error) => void) | undefined
    openSocket({ host, port }, through)
      .then(({ socket }) => {
        connected?.(null, secure ? overTls(connect, asked, socket) : socket)
        // It comes paused, and whoever reads it is there by then.
        if (!secure) setImmediate(() => socket.resume())
      })
      .catch((error: Error) => failed?.(error))
    return undefined
  }
}

/** The certificate is that of the server, not of the proxy. */
function overTls(connect: Connect, asked: ClientRequestArgs, socket: Socket): Duplex {
  const secured = connect({ ...asked, socket } as ClientRequestArgs)
  if (secured === undefined || secured === null) throw new Error('no TLS over this connection')
  return secured as Duplex
}

/**
 * Node's lookup hook over `resolveAllowed`. Lookups of one name at the same time are one: the system's resolver has four threads, and
 * one name that is slow to resolve must not take them all.
 */
function createGuardedLookup(policy: EgressPolicy, lookup: Lookup | undefined): LookupFunction {
  const running = new Map<string, Promise<ResolvedAddress[]>>()
  const resolve = (host: string) => {
    const known = running.get(host)
    if (known) return known
    const made = resolveAllowed(host, policy, lookup ? { lookup } : {}).finally(() =>
      running.delete(host),
    )
    running.set(host, made)
    return made
  }
  return (host, options, done) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses
        if (!first)
          done(Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' }), '')
        else if (options.all) done(null, addresses)
        else done(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => done(error, ''),
    )
  }
}
