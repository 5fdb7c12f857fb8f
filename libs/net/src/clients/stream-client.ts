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
import { acceptedCodings, decodeBody, ResponseBody } from './response-body.ts'
import { createRequest, Exchange } from './node-client.ts'

export type StreamLimits = ExchangeLimits &
  Required<Pick<StreamRequest, 'idleTimeoutMs'>> & { bodyTimeoutMs: number | undefined }

/**
 * Sends an HTTP request with `node:http` and resolves with the head of its response. `onClose` is
 * called once: after the body was read, was disposed or has failed, or if no response arrives.
 *
 * @throws HttpError if no response arrives; the error of `body.chunks`
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

/**
 * Headers with the length of an HTTP request body. The headers are set explicitly, because Node
 * omits the length for DELETE.
 */
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

/**
 * Yields the chunks of an HTTP request body and checks the declared length. If a longer or shorter
 * body were sent, the next request on the connection would be corrupted.
 */
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

/** HTTP statuses whose responses have no body (RFC 9110 §6.4.1). */
const bodiless = new Set([204, 304])

/** HTTP exchange that sends the body of a request and streams the body of its response. */
class StreamExchange {
  readonly #outgoing: ClientRequest
  readonly #limits: StreamLimits
  readonly #exchange: Exchange
  #idleTimer: NodeJS.Timeout | undefined

  constructor(outgoing: ClientRequest, limits: StreamLimits, onClose: () => void) {
    this.#outgoing = outgoing
    this.#limits = limits
    this.#exchange = new Exchange(outgoing, limits, {
      name: 'request',
      onClose: () => {
        clearTimeout(this.#idleTimer)
        onClose()
      },
    })
  }

  async send({ method, body }: StreamRequest): Promise<StreamedResponse> {
    if (isStreamed(body)) void this.#write(body)
    else this.#outgoing.end(body)
    if (!isStreamed(body)) this.#restartIdleTimer()
    const incoming = await this.#exchange.response
    clearTimeout(this.#idleTimer)
    if (this.#limits.bodyTimeoutMs !== undefined) this.#exchange.endTimeout()
    const { statusCode: status = 0, headers } = incoming
    const responseBody = this.#bodyOf(incoming, method === 'HEAD' || bodiless.has(status))
    // If the HTTP server has responded before the end of the request, the connection is closed,
    // because it cannot be used again.
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
    const toError = (error: Error) => this.#exchange.toError(error)
    const limits = { maxBytes, idleTimeoutMs, timeoutMs: bodyTimeoutMs }
    try {
      const decoded = isEmpty ? incoming : decodeBody(incoming)
      return new ResponseBody({ incoming, decoded, ...limits, toError })
    } catch (error) {
      const failure = new HttpError('protocol', messageOf(error))
      this.#exchange.cancel(failure)
      throw failure
    }
  }

  /**
   * Sends a streamed HTTP request body. Stops when the response arrives, because the server does
   * not need the rest of the body.
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
      if (!stop.signal.aborted && !outgoing.destroyed) this.#exchange.cancel(error as Error)
    }
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#idleTimer)
    this.#idleTimer = setTimeout(
      () => this.#exchange.cancel(this.#exchange.timeoutError('the server is silent')),
      this.#limits.idleTimeoutMs,
    )
  }
}
