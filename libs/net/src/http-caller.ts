import { messageOf } from '@posthorn/errors'
import { type Agents, createAgents } from './agents.ts'
import type { CallRequest, ExchangeResult } from './call.ts'
import type { EgressPolicy, Lookup } from './egress.ts'
import { sendWithGot } from './got-client.ts'
import { sendWithNode } from './node-client.ts'
import type { HttpOutcome } from './outcome.ts'
import { createProxyAgents, type HttpProxy } from './proxy-agents.ts'

export interface HttpCallerOptions {
  policy: EgressPolicy
  /**
   * Default: got. `node` uses node:http with a quarter of the CPU time, for thousands of calls/s.
   */
  client?: 'got' | 'node'
  /** Timeout of a call: lookup, connection, request, response and body. */
  timeoutMs: number
  /** Maximum kept bytes of a body. A longer body is cut and its connection closed. */
  maxResponseBytes: number
  /** Maximum number of connections per host; defaults to 64. */
  maxSockets?: number
  /** Proxy of all calls. A function is called before each call. */
  proxy?: HttpProxy | (() => Promise<HttpProxy | undefined>)
  /** Replaces the system resolver in tests. */
  lookup?: Lookup
}

export interface CallResult extends ExchangeResult {
  durationMs: number
}

export interface HttpCaller extends Disposable {
  /** Sends one request without redirects or retries. Never rejects; failures are outcomes. */
  readonly call: (request: CallRequest) => Promise<CallResult>
}

/** Timeout of a connection, TLS included, within the timeout of the call. */
const connectMs = 10_000

/**
 * Creates a client for HTTP servers of third parties, over kept connections. Time, bytes,
 * connections and destination addresses are limited. Disposal closes idle connections and fails
 * calls in flight.
 */
export function createHttpCaller(options: HttpCallerOptions): HttpCaller {
  const { policy, maxSockets = 64, lookup, proxy } = options
  const currentProxy = typeof proxy === 'function' ? proxy : async () => proxy
  const proxyAgents = createProxyAgents(currentProxy, (httpProxy) =>
    createAgents({
      policy,
      maxSockets,
      lookup,
      proxy: httpProxy && { ...httpProxy, timeoutMs: connectMs },
    }),
  )
  return {
    async call(request) {
      const acquired = await proxyAgents.acquire().catch((error) => notSent('proxy-fault', error))
      if ('outcome' in acquired) return acquired
      const { agents, release } = acquired
      try {
        return await call(agents, options, request)
      } finally {
        release()
      }
    },
    [Symbol.dispose]: () => proxyAgents[Symbol.dispose](),
  }
}

/** Result of a call without a request: its proxy or its URL is unusable. */
function notSent(outcome: HttpOutcome, error: unknown, durationMs = 0): CallResult {
  return { outcome, headers: {}, body: Buffer.alloc(0), durationMs, error: messageOf(error) }
}

async function call(
  agents: Agents,
  { client = 'got', timeoutMs, maxResponseBytes }: HttpCallerOptions,
  request: CallRequest,
): Promise<CallResult> {
  const startedAt = performance.now()
  const took = () => performance.now() - startedAt
  const send = client === 'got' ? sendWithGot : sendWithNode
  const limits = {
    timeoutMs: request.timeoutMs ?? timeoutMs,
    connectMs,
    maxResponseBytes,
    signal: request.signal,
  }
  try {
    return { ...(await send(agents, request, limits)), durationMs: took() }
  } catch (error) {
    return notSent('protocol', error, took())
  }
}
