import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { AppError, messageOf } from '@posthorn/errors'
import type { Agents } from '../agents.ts'
import { type CallRequest, type ExchangeLimits, type ExchangeResult, HttpError } from '../call.ts'
import { outcomeOfError, outcomeOfStatus } from '../outcome.ts'

/**
 * Sends an HTTP request with `node:http`, at a quarter of got's CPU time.
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
 * Collects the body of an HTTP response. Resolves to false at the limit of bytes. Rejects if the
 * body is incomplete.
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
 * Creates an HTTP request. Headers must declare the length of a body, since Node omits the length
 * for DELETE.
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
  /** Name of the HTTP exchange in error messages. */
  name: 'call' | 'request'
  /**
   * Called once, when the HTTP request closes. A request that is cancelled while it waits for a
   * connection closes once it has a connection.
   */
  onClose?: () => void
}

/**
 * HTTP exchange: one request up to the head of its response, and the failure of request or
 * response.
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
    // The promises of the exchange may reject while no caller waits for them.
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

  /** Head of the HTTP response. Rejects if there is no response. */
  get response(): Promise<IncomingMessage> {
    return this.#response.promise
  }

  /** Rejects when the HTTP exchange fails or has ended. */
  get failed(): Promise<never> {
    return this.#failed.promise
  }

  /** Fails the HTTP exchange and closes its connection. */
  cancel(failure: Error): void {
    this.#failure ??= failure
    // Node reports a destroyed request only once the request has a socket, so the exchange fails
    // here.
    this.#fail(failure)
    this.#outgoing.destroy(failure)
  }

  /** Ends the timeout of the whole HTTP exchange. */
  endTimeout(): void {
    clearTimeout(this.#wholeTimer)
  }

  timeoutError(message: string): HttpError {
    const error = Object.assign(new Error(message), { code: 'ETIMEDOUT' })
    return new HttpError(outcomeOfError(error, this.#connecting.connected), message, error.code)
  }

  /** Returns the reason of the exchange's failure: streams report a destroyed connection only. */
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

/** Timer of connecting to the HTTP server for one request, TLS included. */
class ConnectTimer {
  /**
   * True once there is a TCP connection to the HTTP server: a later timeout is a timeout of the
   * response.
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
   * Starts the timeout of connecting. A kept connection is ready, a TLS connection after its
   * handshake. Call the method when the request has its socket.
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

/** Code of a failure of the network or of Node.js, which is never a text of the server. */
function networkCodeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : undefined
}
