import type { IncomingHttpHeaders } from 'node:http'
import { messageOf } from '@posthorn/errors'
import got, { type Request, type Response } from 'got'
import { type Agents, createAgents } from './agents.ts'
import type { EgressPolicy, Lookup } from './egress.ts'
import { followProxy, type HttpProxy } from './follow-proxy.ts'
import { type Outcome, outcomeOfError, outcomeOfStatus } from './outcome.ts'

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

export interface CallResult {
  outcome: Outcome
  /** Absent when no answer came. */
  status?: number
  headers: IncomingHttpHeaders
  /** At most `maxResponseBytes` of it, as sent: nothing is decompressed. */
  body: Buffer
  durationMs: number
  /** For people; may name hosts and addresses. Absent when an answer came in full. */
  error?: string
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
  const client = got.extend({
    followRedirect: false,
    throwHttpErrors: false,
    retry: { limit: 0 },
    decompress: false,
  })
  return {
    async call(request) {
      const { agents, release } = await ways.take()
      try {
        return await call({ client, agents }, options, request)
      } finally {
        release()
      }
    },
    [Symbol.dispose]: () => ways[Symbol.dispose](),
  }
}

async function call(
  { client, agents }: { client: typeof got; agents: Agents },
  options: HttpCallerOptions,
  request: CallRequest,
): Promise<CallResult> {
  const startedAt = performance.now()
  const timeoutMs = request.timeoutMs ?? options.timeoutMs
  const took = () => performance.now() - startedAt
  let stream: Request
  try {
    stream = client.stream(request.url, {
      method: request.method,
      agent: { http: agents.http, https: agents.https },
      headers: { ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal ? { signal: request.signal } : {}),
      timeout: { request: timeoutMs, connect: connectMs, secureConnect: connectMs },
    })
  } catch (error) {
    return {
      outcome: 'protocol',
      headers: {},
      body: Buffer.alloc(0),
      durationMs: took(),
      error: messageOf(error),
    }
  }
  return { ...(await answerOf(stream, options.maxResponseBytes)), durationMs: took() }
}

/** Reads an answer up to the limit. A body that breaks off, or does not end in time, makes the call fail: the server had not finished. */
function answerOf(stream: Request, maxBytes: number): Promise<Omit<CallResult, 'durationMs'>> {
  return new Promise((resolve) => {
    let answer: { status: number; headers: IncomingHttpHeaders } | undefined
    const chunks: Buffer[] = []
    let bytes = 0
    const finish = (outcome: Outcome, error?: string) =>
      resolve({
        outcome,
        headers: {},
        ...answer,
        body: Buffer.concat(chunks),
        ...(error === undefined ? {} : { error }),
      })
    stream.once('response', ({ statusCode, headers }: Response) => {
      answer = { status: statusCode, headers }
    })
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, maxBytes - bytes))
      bytes += chunk.length
      if (bytes <= maxBytes || !answer) return
      finish(outcomeOfStatus(answer.status))
      stream.destroy()
    })
    stream.once('end', () => answer && finish(outcomeOfStatus(answer.status)))
    stream.on('error', (error) =>
      finish(outcomeOfError(error, stream.timings?.connect !== undefined), messageOf(error)),
    )
    stream.once('close', () => finish('reset', 'the connection was closed'))
  })
}
