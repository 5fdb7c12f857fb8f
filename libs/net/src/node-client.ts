import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { defined } from '@posthorn/contracts/defined'
import { AppError, messageOf } from '@posthorn/errors'
import type { Agents } from './agents.ts'
import type { CallRequest, ExchangeLimits, ExchangeResult } from './call.ts'
import { ConnectTimer } from './connect-timer.ts'
import { type HttpOutcome, outcomeOfError, outcomeOfStatus } from './outcome.ts'

/**
 * Sends a request with `node:http`, at a quarter of got's CPU time.
 *
 * @throws AppError `invalid`, or Node's error for a request that cannot be created
 */
export function sendWithNode(
  agents: Agents,
  request: CallRequest,
  limits: ExchangeLimits,
): Promise<ExchangeResult> {
  const { body } = request
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const outgoing = createRequest(agents, { ...request, headers: { ...request.headers, ...length } })
  const exchange = new Exchange(outgoing, limits)
  outgoing.end(body)
  return exchange.result
}

/**
 * Creates a request. Headers must declare the length of a body, since Node omits it for DELETE.
 *
 * @throws AppError `invalid`, or Node's error for a request that cannot be created
 */
export function createRequest(
  agents: Agents,
  { method, url, headers = {} }: Pick<CallRequest, 'method' | 'url' | 'headers'>,
): ClientRequest {
  const address = new URL(url)
  const options = { method, headers: { ...headers } }
  if (address.protocol === 'https:')
    return httpsRequest(address, { ...options, agent: agents.https })
  if (address.protocol === 'http:') return httpRequest(address, { ...options, agent: agents.http })
  throw new AppError('invalid', 'The URL must use http or https')
}

/** One request and its response, read up to the limit. An incomplete body fails the call. */
class Exchange {
  readonly result: Promise<ExchangeResult>
  readonly #outgoing: ClientRequest
  readonly #limits: ExchangeLimits
  readonly #resolve: (result: ExchangeResult) => void
  readonly #wholeTimer: NodeJS.Timeout
  readonly #connecting: ConnectTimer
  #response: { status: number; headers: IncomingHttpHeaders } | undefined
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(outgoing: ClientRequest, limits: ExchangeLimits) {
    const { timeoutMs, connectMs, signal } = limits
    const { promise, resolve } = Promise.withResolvers<ExchangeResult>()
    this.result = promise
    this.#resolve = resolve
    this.#outgoing = outgoing
    this.#limits = limits
    this.#wholeTimer = setTimeout(() => this.#cancel('ETIMEDOUT'), timeoutMs)
    this.#connecting = new ConnectTimer(connectMs, () => this.#cancel('ETIMEDOUT'))
    outgoing
      .once('socket', () => this.#connecting.start(outgoing))
      .once('response', (incoming) => this.#read(incoming))
      .on('error', (error) => this.#fail(error))
      .once('close', () => this.#finish('reset', 'the connection was closed'))
    signal?.addEventListener('abort', this.#abort)
    if (signal?.aborted === true) this.#abort()
  }

  readonly #abort = () => this.#cancel('ABORT_ERR')

  #read(incoming: IncomingMessage): void {
    const { statusCode: status = 0, headers } = incoming
    const { maxResponseBytes } = this.#limits
    this.#response = { status, headers }
    incoming
      .on('data', (chunk: Buffer) => {
        this.#chunks.push(chunk.subarray(0, Math.max(0, maxResponseBytes - this.#bytes)))
        this.#bytes += chunk.length
        if (this.#bytes <= maxResponseBytes) return
        this.#finish(outcomeOfStatus(status))
        this.#outgoing.destroy()
      })
      .once('end', () => this.#finish(outcomeOfStatus(status)))
      .on('error', (error) => this.#fail(error))
  }

  #cancel(code: 'ETIMEDOUT' | 'ABORT_ERR'): void {
    const reason = code === 'ETIMEDOUT' ? 'the call timed out' : 'the call was cancelled'
    this.#fail(Object.assign(new Error(reason), { code }))
    this.#outgoing.destroy()
  }

  #fail(error: Error): void {
    this.#finish(outcomeOfError(error, this.#connecting.connected), messageOf(error))
  }

  /** Ends the exchange. Only the first call has an effect. */
  #finish(outcome: HttpOutcome, error?: string): void {
    clearTimeout(this.#wholeTimer)
    this.#connecting.clear()
    this.#limits.signal?.removeEventListener('abort', this.#abort)
    this.#resolve({
      outcome,
      headers: {},
      ...this.#response,
      body: Buffer.concat(this.#chunks),
      ...defined({ error }),
    })
  }
}
