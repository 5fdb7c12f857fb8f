import { messageOf } from '@posthorn/errors'
import { type Agents, createAgents } from './agents.ts'
import { sendByGot } from './by-got.ts'
import { sendByNode } from './by-node.ts'
import type { EgressPolicy, Lookup } from './egress.ts'
import type { Ended } from './exchange.ts'
import { followProxy, type HttpProxy } from './follow-proxy.ts'

export interface HttpCallerOptions {
  policy: EgressPolicy
  /** got, unless there are thousands of calls a second: `node` makes them with node:http alone, at a quarter of the processor time. */
  client?: 'got' | 'node'
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
      const way = await ways.take().catch((error: unknown) => noWay(error))
      if ('outcome' in way) return way
      const { agents, release } = way
      try {
        return await call(agents, options, request)
      } finally {
        release()
      }
    },
    [Symbol.dispose]: () => ways[Symbol.dispose](),
  }
}

/** The proxy cannot be had now. */
function noWay(error: unknown): CallResult {
  const body = Buffer.alloc(0)
  return { outcome: 'proxy-fault', headers: {}, body, durationMs: 0, error: messageOf(error) }
}

async function call(
  agents: Agents,
  { client = 'got', timeoutMs, maxResponseBytes }: HttpCallerOptions,
  request: CallRequest,
): Promise<CallResult> {
  const startedAt = performance.now()
  const took = () => performance.now() - startedAt
  const send = client === 'got' ? sendByGot : sendByNode
  const bounds = {
    timeoutMs: request.timeoutMs ?? timeoutMs,
    connectMs,
    maxResponseBytes,
    signal: request.signal,
  }
  try {
    return { ...(await send(agents, request, bounds)), durationMs: took() }
  } catch (error) {
    return {
      outcome: 'protocol',
      headers: {},
      body: Buffer.alloc(0),
      durationMs: took(),
      error: messageOf(error),
    }
  }
}
