import { Agent as HttpAgent, type AgentOptions, type ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
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

export interface AgentsOptions {
  policy: EgressPolicy
  /** Connections to one host at the same time. */
  maxSockets: number
  lookup?: Lookup
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
export function createAgents({ policy, maxSockets, lookup }: AgentsOptions): Agents {
  const guard = createGuard(policy, lookup)
  const options = {
    keepAlive: true,
    maxSockets,
    maxFreeSockets: 256,
    timeout: idleMs,
    scheduling: 'lifo',
  } as const
  const http = new GuardedHttpAgent(options, guard)
  const https = new GuardedHttpsAgent(options, guard)
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
