import { messageOf } from '@posthorn/errors'
import { type Agents, createAgents } from './agents.ts'
import {
  type CallRequest,
  type ExchangeResult,
  HttpError,
  type StreamedResponse,
  type StreamRequest,
} from './call.ts'
import type { EgressPolicy, Lookup } from './egress.ts'
import { sendWithGot } from './clients/got-client.ts'
import { sendWithNode } from './clients/node-client.ts'
import type { HttpOutcome } from './outcome.ts'
import { mapOrigin, type OriginMap } from './origin-map.ts'
import { productAgent } from './product.ts'
import { createProxyAgents, type HttpProxy } from './proxy-agents.ts'
import { openWithNode, type StreamLimits } from './clients/stream-client.ts'

export interface HttpCallerOptions {
  policy: EgressPolicy
  /**
   * HTTP library of the caller; default `got`. `node` uses node:http with a quarter of the CPU
   * time, for thousands of calls/s.
   */
  client?: 'got' | 'node'
  /** Timeout of an HTTP call: lookup, connection, request, response and body. */
  timeoutMs: number
  /** Maximum kept bytes of a response body. A longer body is cut and its connection closed. */
  maxResponseBytes: number
  /** Maximum number of HTTP connections per host; defaults to 64. */
  maxSockets?: number
  /** Proxy of all HTTP calls. A function is called before each call. */
  proxy?: HttpProxy | (() => Promise<HttpProxy | undefined>)
  /** Origins that are called at another origin, to which the egress policy applies. For tests. */
  origins?: OriginMap
  /** Name lookup that replaces the system resolver in tests. */
  lookup?: Lookup
}

export interface CallResult extends ExchangeResult {
  durationMs: number
}

export interface HttpCaller extends Disposable {
  /** Sends one HTTP request without redirects or retries. Never rejects; failures are outcomes. */
  readonly call: (request: CallRequest) => Promise<CallResult>
  /**
   * Sends one HTTP request without redirects or retries, and streams request and response body.
   * Responses with gzip or deflate are decoded.
   *
   * @throws HttpError if there is no response; the error of the request body's `chunks`
   */
  readonly open: (request: StreamRequest) => Promise<StreamedResponse>
}

/** Timeout of connecting to an HTTP server, TLS included, within the timeout of the call. */
const connectMs = 10_000
const defaultIdleTimeoutMs = 30_000

/**
 * Creates a client for HTTP servers of third parties, over kept connections. Time, bytes,
 * connections and destination addresses are limited. Disposal closes idle connections and fails
 * calls in flight. `User-Agent` has product and version, unless a request sets another.
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
    async open(request) {
      const acquired = await proxyAgents.acquire().catch((error: unknown) => {
        throw new HttpError('proxy-fault', messageOf(error))
      })
      return openWithNode(acquired.agents, toExchange(request, options.origins), {
        ...streamLimitsOf(options, request),
        onClose: acquired.release,
      })
    },
    [Symbol.dispose]: () => proxyAgents[Symbol.dispose](),
  }
}

/**
 * HTTP request as it is sent: to the mapped origin, with the User-Agent of the product by default.
 */
function toExchange<R extends CallRequest | StreamRequest>(request: R, origins?: OriginMap): R {
  const headers = { 'user-agent': productAgent, ...request.headers }
  return { ...request, headers, url: mapOrigin(request.url, origins) }
}

function streamLimitsOf(options: HttpCallerOptions, request: StreamRequest): StreamLimits {
  return {
    timeoutMs: request.timeoutMs ?? options.timeoutMs,
    connectMs,
    idleTimeoutMs: request.idleTimeoutMs ?? defaultIdleTimeoutMs,
    bodyTimeoutMs: request.bodyTimeoutMs,
    maxResponseBytes: request.maxBytes ?? options.maxResponseBytes,
    signal: request.signal,
  }
}

/** Result of an HTTP call that sent no request: its proxy or its URL is unusable. */
function notSent(outcome: HttpOutcome, error: unknown, durationMs = 0): CallResult {
  return { outcome, headers: {}, body: Buffer.alloc(0), durationMs, error: messageOf(error) }
}

async function call(
  agents: Agents,
  { client = 'got', timeoutMs, maxResponseBytes, origins }: HttpCallerOptions,
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
    return {
      ...(await send(agents, toExchange(request, origins), limits)),
      durationMs: took(),
    }
  } catch (error) {
    return notSent('protocol', error, took())
  }
}
