import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AppError, messageOf } from '@posthorn/errors'
import type { Agents } from '../agents.ts'
import { type CallRequest, type ExchangeLimits, type ExchangeResult, HttpError } from '../call.ts'
import { outcomeOfError, outcomeOfStatus } from '../outcome.ts'

/**
 * Sends an HTTP request with `node:http`, which takes a quarter of the CPU time of got.
 *
 * @throws AppError `invalid`, or Node's error for a request that cannot be created
 */
export async function sendWithNode(
  agents: Agents,
  request: CallRequest,
  limits: ExchangeLimits,
): Promise<ExchangeResult> {
  const { body } = request
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const outgoing = createRequest(agents, { ...request, headers: { ...request.headers, ...length } })
  const exchange = new Exchange(outgoing, limits, { name: 'call' })
  outgoing.end(body)
  const chunks: Buffer[] = []
  let head: Pick<ExchangeResult, 'status' | 'headers'> = { headers: {} }
  try {
    const incoming = await exchange.response
    const { statusCode: status = 0, headers } = incoming
    head = { status, headers }
    const collected = collect(incoming, chunks, limits.maxResponseBytes)
    const isComplete = await Promise.race([exchange.failed, collected])
    if (!isComplete) outgoing.destroy()
    return { outcome: outcomeOfStatus(status), ...head, body: Buffer.concat(chunks) }
  } catch (error) {
    const failure = exchange.toError(error as Error)
    const outcome = failure instanceof HttpError ? failure.outcome : 'protocol'
    return { outcome, ...head, body: Buffer.concat(chunks), error: failure.message }
  }
}

/**
 * Collects the chunks of an HTTP response body. Resolves with false if the body exceeds `maxBytes`.
 * Rejects if the body is incomplete.
 */
function collect(incoming: IncomingMessage, chunks: Buffer[], maxBytes: number): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>()
  let bytes = 0
  incoming
    .on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, Math.max(0, maxBytes - bytes)))
      bytes += chunk.length
      if (bytes > maxBytes) resolve(false)
    })
    .once('end', () => resolve(true))
    .on('error', reject)
  return promise
}

/**
 * Creates an HTTP request. The caller must declare the length of a body in the headers, because
 * Node omits the length for DELETE.
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

interface ExchangeOptions {
  /** Noun for the HTTP exchange (request and response) in error messages. */
  name: 'call' | 'request'
  /**
   * Called once when the HTTP request is closed. If the request is cancelled while it waits for a
   * connection, it is closed only after it has got a connection.
   */
  onClose?: () => void
}

/**
 * HTTP exchange: a request and the head of its response. Also reports later failures of the request
 * or the response.
 */
export class Exchange {
  readonly #outgoing: ClientRequest
  readonly #response = Promise.withResolvers<IncomingMessage>()
  readonly #failed = Promise.withResolvers<never>()
  readonly #connecting: ConnectTimer
  readonly #wholeTimer: NodeJS.Timeout
  #failure: Error | undefined

  constructor(
    outgoing: ClientRequest,
    { timeoutMs, connectMs, signal }: Omit<ExchangeLimits, 'maxResponseBytes'>,
    { name, onClose = () => undefined }: ExchangeOptions,
  ) {
    this.#outgoing = outgoing
    // Rejections of the promises of an HTTP exchange must not count as unhandled when no caller is
    // waiting for the promises.
    this.#response.promise.catch(() => undefined)
    this.#failed.promise.catch(() => undefined)
    const onTimeout = () => this.cancel(this.timeoutError(`the ${name} timed out`))
    const onAbort = () => this.cancel(new HttpError('aborted', `the ${name} was cancelled`))
    this.#wholeTimer = setTimeout(onTimeout, timeoutMs)
    this.#connecting = new ConnectTimer(connectMs, onTimeout)
    outgoing
      .once('socket', () => this.#connecting.start(outgoing))
      .once('response', (incoming) => this.#response.resolve(incoming))
      .on('error', (error) => this.#fail(error))
      .once('close', () => {
        this.endTimeout()
        this.#connecting.clear()
        signal?.removeEventListener('abort', onAbort)
        this.#fail(new HttpError('reset', 'the connection was closed'))
        onClose()
      })
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) onAbort()
  }

  /** Resolves with the head of the HTTP response. Rejects if no response arrives. */
  get response(): Promise<IncomingMessage> {
    return this.#response.promise
  }

  /** Rejects when the HTTP exchange has failed or ended. Never resolves. */
  get failed(): Promise<never> {
    return this.#failed.promise
  }

  /** Makes the HTTP exchange fail and closes its connection. */
  cancel(failure: Error): void {
    this.#failure ??= failure
    // The failure of an HTTP exchange is reported immediately, because Node reports a destroyed
    // request only after the request has got a socket.
    this.#fail(failure)
    this.#outgoing.destroy(failure)
  }

  /** Stops the timeout that applies to the whole HTTP exchange. */
  endTimeout(): void {
    clearTimeout(this.#wholeTimer)
  }

  timeoutError(message: string): HttpError {
    const error = Object.assign(new Error(message), { code: 'ETIMEDOUT' })
    return new HttpError(outcomeOfError(error, this.#connecting.connected), message, error.code)
  }

  /**
   * Returns the reason why the HTTP exchange failed. The error of a stream is not sufficient,
   * because it only says that the connection was destroyed.
   */
  toError(error: Error): Error {
    if (this.#failure) return this.#failure
    if (error instanceof HttpError) return error
    const outcome = outcomeOfError(error, this.#connecting.connected)
    return new HttpError(outcome, messageOf(error), networkCodeOf(error))
  }

  #fail(error: Error): void {
    const failure = this.toError(error)
    this.#response.reject(failure)
    this.#failed.reject(failure)
  }
}

/** Timer that limits the time for connecting to the HTTP server, including TLS. */
class ConnectTimer {
  /**
   * True if a TCP connection to the HTTP server exists. From then on, a timeout counts as a timeout
   * of the response.
   */
  connected = false
  readonly #timeoutMs: number
  readonly #onTimeout: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(timeoutMs: number, onTimeout: () => void) {
    this.#timeoutMs = timeoutMs
    this.#onTimeout = onTimeout
  }

  /**
   * Starts the timeout for connecting to the HTTP server. The timeout ends when a TLS connection
   * has completed its handshake, and does not apply to a reused connection. Call this method when
   * the request has got its socket.
   */
  start({ socket, reusedSocket, protocol }: ClientRequest): void {
    if (!socket || reusedSocket) {
      this.connected = reusedSocket
      return
    }
    this.connected = !socket.connecting
    if (socket.connecting) socket.once('connect', () => (this.connected = true))
    const secure = protocol === 'https:'
    if (this.connected && !secure) return
    this.#timer = setTimeout(this.#onTimeout, this.#timeoutMs)
    socket.once(secure ? 'secureConnect' : 'connect', () => this.clear())
  }

  clear(): void {
    clearTimeout(this.#timer)
  }
}

/**
 * Error code of a network failure or of Node.js. Texts that come from the HTTP server are never
 * returned.
 */
function networkCodeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : undefined
}
