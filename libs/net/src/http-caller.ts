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
   * Library that sends the HTTP calls, by default `got`. `node` uses node:http, which takes a
   * quarter of the CPU time and is meant for thousands of calls per second.
   */
  client?: 'got' | 'node'
  /** Timeout of an HTTP call, including lookup, connection, request, response and response body. */
  timeoutMs: number
  /**
   * Maximum number of bytes of an HTTP response body that are returned. A longer body is cut off
   * and its connection is closed.
   */
  maxResponseBytes: number
  /** Maximum number of HTTP connections per host. Defaults to 64. */
  maxSockets?: number
  /** Proxy for all HTTP calls. If this is a function, it is called before each call. */
  proxy?: HttpProxy | (() => Promise<HttpProxy | undefined>)
  /** Replacements for origins in URLs, for tests. The egress policy applies to the replacement. */
  origins?: OriginMap
  /**
   * Function that looks up host names. Tests replace the operating system's resolver by this
   * function.
   */
  lookup?: Lookup
}

export interface CallResult extends ExchangeResult {
  durationMs: number
}

export interface HttpCaller extends Disposable {
  /**
   * Sends an HTTP request without redirects and retries. Never rejects: a failure is reported as an
   * `outcome`.
   */
  readonly call: (request: CallRequest) => Promise<CallResult>
  /**
   * Sends an HTTP request without redirects and retries. Streams the request body and the response
   * body. Responses with gzip or deflate are decoded.
   *
   * @throws HttpError if no response arrives; the error of the request body's `chunks`
   */
  readonly open: (request: StreamRequest) => Promise<StreamedResponse>
}

/**
 * Maximum time for connecting to an HTTP server, including TLS. Part of the timeout of the call.
 */
const connectMs = 10_000
const defaultIdleTimeoutMs = 30_000

/**
 * Creates a client for calls to HTTP servers of third parties over reused connections. Time, bytes,
 * connections and destination addresses are limited. Disposal closes idle connections and makes
 * calls in flight fail. `User-Agent` contains the product and its version, unless a request sets
 * the header.
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
 * Prepares an HTTP request for sending: replaces a mapped origin and adds the default header
 * `User-Agent`.
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

/**
 * Result of an HTTP call for which no request was sent, because its proxy or its URL cannot be
 * used.
 */
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
