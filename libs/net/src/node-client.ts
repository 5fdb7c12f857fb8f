import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import { defined } from '@posthorn/contracts'
import { AppError, messageOf } from '@posthorn/errors'
import type { Agents } from './agents.ts'
import type { CallRequest, ExchangeLimits, ExchangeResult } from './call.ts'
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
  const outgoing = createRequest(agents, request)
  const exchange = new Exchange(outgoing, limits)
  outgoing.end(request.body)
  return exchange.result
}

function createRequest(agents: Agents, { method, url, headers = {} }: CallRequest): ClientRequest {
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
  #connectTimer: NodeJS.Timeout | undefined
  #connected = false
  #response: { status: number; headers: IncomingHttpHeaders } | undefined
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(outgoing: ClientRequest, limits: ExchangeLimits) {
    const { timeoutMs, signal } = limits
    const { promise, resolve } = Promise.withResolvers<ExchangeResult>()
    this.result = promise
    this.#resolve = resolve
    this.#outgoing = outgoing
    this.#limits = limits
    this.#wholeTimer = setTimeout(() => this.#cancel('ETIMEDOUT'), timeoutMs)
    outgoing
      .once('socket', () => this.#watchConnecting())
      .once('response', (incoming) => this.#read(incoming))
      .on('error', (error) => this.#fail(error))
      .once('close', () => this.#finish('reset', 'the connection was closed'))
    signal?.addEventListener('abort', this.#abort)
    if (signal?.aborted === true) this.#abort()
  }

  readonly #abort = () => this.#cancel('ABORT_ERR')

  /**
   * Starts the connect timeout. A kept connection is ready, a TLS connection after its handshake.
   */
  #watchConnecting(): void {
    const { socket, reusedSocket, protocol } = this.#outgoing
    if (!socket || reusedSocket) {
      this.#connected = reusedSocket
      return
    }
    this.#connected = !socket.connecting
    if (socket.connecting) socket.once('connect', () => (this.#connected = true))
    const secure = protocol === 'https:'
    if (this.#connected && !secure) return
    this.#connectTimer = setTimeout(() => this.#cancel('ETIMEDOUT'), this.#limits.connectMs)
    socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(this.#connectTimer))
  }

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
    this.#finish(outcomeOfError(error, this.#connected), messageOf(error))
  }

  /** Only the first call has an effect. */
  #finish(outcome: HttpOutcome, error?: string): void {
    clearTimeout(this.#wholeTimer)
    clearTimeout(this.#connectTimer)
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
