import { type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AppError, messageOf } from '@posthorn/errors'
import { type Agents, createAgents } from './agents.ts'
import type { EgressPolicy, Lookup } from './egress.ts'
import { type Ended, Exchange } from './exchange.ts'
import { followProxy, type HttpProxy } from './follow-proxy.ts'

export interface HttpCallerOptions {
  policy: EgressPolicy
  /** For a whole call: lookup, connection, request, answer and its body. */
  timeoutMs: number
  /** Kept of an answer's body; a longer one is cut here and its connection closed. */
  maxResponseBytes: number
  /** Connections to one host at the same time; default 64. */
  maxSockets?: number
  /** What every call goes through; asked for at each call where it may change. */
  proxy?: HttpProxy | (() => Promise<HttpProxy | undefined>)
  /** The system's resolver, unless a test has its own. */
  lookup?: Lookup
}

export interface CallRequest {
  method: 'GET' | 'POST'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Instead of the caller's. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** At most `maxResponseBytes` of the body, as sent: nothing is decompressed. The error is for people; it may name hosts and addresses. */
export interface CallResult extends Ended {
  durationMs: number
}

export interface HttpCaller extends Disposable {
  /** Makes one request: no redirect is followed, nothing is tried again. Never rejects: what went wrong is the outcome. */
  readonly call: (request: CallRequest) => Promise<CallResult>
}

/** How long a connection may take to be made, TLS included, within the time of the call. */
const connectMs = 10_000

/**
 * HTTP to servers that are not ours, over kept connections. Everything of it is bounded: time, bytes, connections; and it goes only
 * where the policy lets it. Disposing closes idle connections and breaks the calls in hand.
 */
export function createHttpCaller(options: HttpCallerOptions): HttpCaller {
  const { policy, maxSockets = 64, lookup, proxy } = options
  const ways = followProxy(typeof proxy === 'function' ? proxy : async () => proxy, (through) =>
    createAgents({
      policy,
      maxSockets,
      ...(lookup ? { lookup } : {}),
      ...(through ? { proxy: { ...through, timeoutMs: connectMs } } : {}),
    }),
  )
  return {
    async call(request) {
      const { agents, release } = await ways.take()
      try {
        return await call(agents, options, request)
      } finally {
        release()
      }
    },
    [Symbol.dispose]: () => ways[Symbol.dispose](),
  }
}

async function call(
  agents: Agents,
  { timeoutMs, maxResponseBytes }: HttpCallerOptions,
  request: CallRequest,
): Promise<CallResult> {
  const startedAt = performance.now()
  const took = () => performance.now() - startedAt
  let outgoing: ClientRequest
  try {
    outgoing = openRequest(agents, request)
  } catch (error) {
    return {
      outcome: 'protocol',
      headers: {},
      body: Buffer.alloc(0),
      durationMs: took(),
      error: messageOf(error),
    }
  }
  const exchange = new Exchange(outgoing, {
    timeoutMs: request.timeoutMs ?? timeoutMs,
    connectMs,
    maxResponseBytes,
    signal: request.signal,
  })
  outgoing.end(request.body)
  return { ...(await exchange.ended), durationMs: took() }
}

function openRequest(agents: Agents, { method, url, headers = {} }: CallRequest): ClientRequest {
  const address = new URL(url)
  const options = { method, headers: { ...headers } }
  if (address.protocol === 'https:')
    return httpsRequest(address, { ...options, agent: agents.https })
  if (address.protocol === 'http:') return httpRequest(address, { ...options, agent: agents.http })
  throw new AppError('invalid', 'Only http and https can be called')
}
