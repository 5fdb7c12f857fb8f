import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { messageOf } from '@posthorn/errors'
import type { Agents } from '../agents.ts'
import {
  type ExchangeLimits,
  HttpError,
  type StreamedBody,
  type StreamedResponse,
  type StreamRequest,
} from '../call.ts'
import { ConnectTimer } from '../connect-timer.ts'
import { acceptedCodings, decodeBody } from './decode-body.ts'
import { createRequest } from '../node-client.ts'
import { outcomeOfError } from '../outcome.ts'
import { ResponseBody } from './response-body.ts'

export type StreamLimits = ExchangeLimits &
  Required<Pick<StreamRequest, 'idleTimeoutMs'>> & { bodyTimeoutMs: number | undefined }

/**
 * Sends a request with `node:http` and resolves with the head of its response. `onClose` is called
 * once, after the body was read, disposed or failed, or no response arrived.
 *
 * @throws HttpError if there is no response; the error of `body.chunks`
 */
export async function openWithNode(
  agents: Agents,
  request: StreamRequest,
  { onClose, ...limits }: StreamLimits & { onClose: () => void },
): Promise<StreamedResponse> {
  let outgoing: ClientRequest
  try {
    outgoing = createOutgoing(agents, request)
  } catch (error) {
    onClose()
    throw new HttpError('protocol', messageOf(error))
  }
  return new StreamExchange(outgoing, limits, onClose).send(request)
}

function createOutgoing(agents: Agents, request: StreamRequest): ClientRequest {
  const { method, headers, body } = request
  const coding = method === 'HEAD' ? {} : { 'accept-encoding': acceptedCodings }
  return createRequest(agents, { ...request, headers: { ...coding, ...headers, ...framing(body) } })
}

/** Node omits these headers for DELETE. */
function framing(body: StreamRequest['body']): Record<string, string> {
  if (body === undefined) return {}
  const length = isStreamed(body) ? body.length : Buffer.byteLength(body)
  return length === undefined
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(length) }
}

function isStreamed(body: StreamRequest['body']): body is StreamedBody {
  return typeof body === 'object' && 'chunks' in body
}

/** A body of another length would corrupt the next request on the connection. */
async function* ofExactLength({ chunks, length }: StreamedBody): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (length !== undefined && bytes > length) break
    yield chunk
  }
  if (length !== undefined && bytes !== length)
    throw new HttpError('protocol', 'the request body does not have its declared length')
}

/** Statuses without a body (RFC 9110 §6.4.1). */
const bodiless = new Set([204, 304])

/** One request and its streamed response. */
class StreamExchange {
  readonly #outgoing: ClientRequest
  readonly #limits: StreamLimits
  readonly #onClose: () => void
  readonly #wholeTimer: NodeJS.Timeout
  readonly #connecting: ConnectTimer
  readonly #response = Promise.withResolvers<IncomingMessage>()
  #idleTimer: NodeJS.Timeout | undefined
  #failure: Error | undefined

  constructor(outgoing: ClientRequest, limits: StreamLimits, onClose: () => void) {
    const { timeoutMs, connectMs, signal } = limits
    this.#outgoing = outgoing
    this.#limits = limits
    this.#onClose = onClose
    const onTimeout = () => this.#cancel(this.#timeoutError('the request timed out'))
    this.#wholeTimer = setTimeout(onTimeout, timeoutMs)
    this.#connecting = new ConnectTimer(connectMs, onTimeout)
    outgoing
      .once('socket', () => this.#connecting.start(outgoing))
      .once('response', (incoming) => this.#response.resolve(incoming))
      .on('error', (error) => this.#response.reject(this.#toError(error)))
      .once('close', () => this.#close())
    signal?.addEventListener('abort', this.#abort)
    if (signal?.aborted === true) this.#abort()
  }

  async send({ method, body }: StreamRequest): Promise<StreamedResponse> {
    if (isStreamed(body)) void this.#write(body)
    else this.#outgoing.end(body)
    if (!isStreamed(body)) this.#restartIdleTimer()
    const incoming = await this.#response.promise
    clearTimeout(this.#idleTimer)
    if (this.#limits.bodyTimeoutMs !== undefined) clearTimeout(this.#wholeTimer)
    const { statusCode: status = 0, headers } = incoming
    const responseBody = this.#bodyOf(incoming, method === 'HEAD' || bodiless.has(status))
    // The server responded before the end of the request: the connection cannot be used again.
    responseBody.once('end', () => {
      if (!this.#outgoing.writableFinished) this.#outgoing.destroy()
    })
    return {
      status,
      headers,
      body: responseBody,
      [Symbol.dispose]: () => void responseBody.destroy(),
    }
  }

  #bodyOf(incoming: IncomingMessage, isEmpty: boolean): ResponseBody {
    const { maxResponseBytes: maxBytes, idleTimeoutMs, bodyTimeoutMs = Infinity } = this.#limits
    const toError = (error: Error) => this.#toError(error)
    const limits = { maxBytes, idleTimeoutMs, timeoutMs: bodyTimeoutMs }
    try {
      const decoded = isEmpty ? incoming : decodeBody(incoming)
      return new ResponseBody({ incoming, decoded, ...limits, toError })
    } catch (error) {
      const failure = new HttpError('protocol', messageOf(error))
      this.#cancel(failure)
      throw failure
    }
  }

  /**
   * Sends a streamed body. Stops at the response: the server has decided without the rest of the
   * body.
   */
  async #write(body: StreamedBody): Promise<void> {
    const outgoing = this.#outgoing
    const stop = new AbortController()
    const end = () => stop.abort()
    outgoing.once('response', end).once('close', end)
    try {
      for await (const chunk of ofExactLength(body)) {
        if (stop.signal.aborted) return
        if (outgoing.write(chunk)) continue
        this.#restartIdleTimer()
        await once(outgoing, 'drain', { signal: stop.signal })
        clearTimeout(this.#idleTimer)
      }
      outgoing.end()
      if (!stop.signal.aborted) this.#restartIdleTimer()
    } catch (error) {
      if (!stop.signal.aborted && !outgoing.destroyed) this.#cancel(error as Error)
    }
  }

  readonly #abort = () => this.#cancel(new HttpError('aborted', 'the request was cancelled'))

  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(
      () => this.#cancel(this.#timeoutError('the server is silent')),
      this.#limits.idleTimeoutMs,
    )
  }

  #timeoutError(message: string): HttpError {
    const error = Object.assign(new Error(message), { code: 'ETIMEDOUT' })
    return new HttpError(outcomeOfError(error, this.#connecting.connected), message, error.code)
  }

  #cancel(failure: Error): void {
    this.#failure ??= failure
    this.#outgoing.destroy(failure)
  }

  /** Returns the reason of the failure: streams report a destroyed connection only. */
  #toError(error: Error): Error {
    if (this.#failure) return this.#failure
    if (error instanceof HttpError) return error
    const outcome = outcomeOfError(error, this.#connecting.connected)
    return new HttpError(outcome, messageOf(error), networkCodeOf(error))
  }

  #close(): void {
    clearTimeout(this.#wholeTimer)
    clearTimeout(this.#idleTimer)
    this.#connecting.clear()
    this.#limits.signal?.removeEventListener('abort', this.#abort)
    this.#response.reject(this.#toError(new HttpError('reset', 'the connection was closed')))
    this.#onClose()
  }
}

/** Code of a failure of the network or of Node.js, which is never a text of the server. */
function networkCodeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : undefined
}
