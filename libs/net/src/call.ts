import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { HttpOutcome } from './outcome.ts'

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface CallRequest {
  method: HttpMethod
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Timeout of the HTTP call. Defaults to the timeout of the `HttpCaller`. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** Body of an HTTP request that is sent while it is being produced, with back-pressure. */
export interface StreamedBody {
  chunks: AsyncIterable<Uint8Array>
  /**
   * Exact number of bytes in the HTTP request body. If the body has another length, the request
   * fails. If absent, the body is sent chunked.
   */
  length?: number
}

/** HTTP request whose response body is streamed to the caller. */
export interface StreamRequest extends Omit<CallRequest, 'body'> {
  body?: string | Uint8Array | StreamedBody
  /**
   * Maximum number of decoded bytes in the HTTP response body. Defaults to `maxResponseBytes`. If
   * the body is longer, the request fails.
   */
  maxBytes?: number
  /**
   * Maximum time in milliseconds for which the HTTP server sends nothing. Defaults to 30 s. Time in
   * which the server waits for the caller does not count: the caller does not read the response, or
   * does not supply the request body.
   */
  idleTimeoutMs?: number
  /**
   * Maximum time in milliseconds that the HTTP server may need for the response body. Time in which
   * the caller does not read does not count. If `bodyTimeoutMs` is set, `timeoutMs` applies only up
   * to the head of the response. Otherwise `timeoutMs` includes the response body and all pauses of
   * the caller.
   */
  bodyTimeoutMs?: number
}

/** HTTP response whose body is read while it arrives. */
export interface StreamedResponse extends Disposable {
  status: number
  headers: IncomingHttpHeaders
  /**
   * Decoded bytes of the HTTP response body, with back-pressure. Fails with `HttpError`, also if
   * the body is incomplete. If the body is not read to its end, the response must be disposed to
   * close the connection.
   */
  body: Readable
}

/** Error of a streamed HTTP request, including errors while its response body is read. */
export class HttpError extends Error {
  override name = 'HttpError'
  readonly outcome: HttpOutcome
  /** Error code of a network failure, such as `ENOTFOUND`. Absent for all other failures. */
  readonly code: string | undefined

  /**
   * Creates the error of an HTTP request. `message` is meant for operators and may contain host
   * names and addresses, but no header and no URL query.
   */
  constructor(outcome: HttpOutcome, message: string, code?: string) {
    super(message)
    this.outcome = outcome
    this.code = code
  }
}

/** Result of an HTTP request whose response body is read completely. */
export interface ExchangeResult {
  outcome: HttpOutcome
  /** Status code of the HTTP response. Absent if the server sent no response. */
  status?: number
  headers: IncomingHttpHeaders
  /**
   * Bytes of the HTTP response body as received, without decompression. At most `maxResponseBytes`.
   */
  body: Buffer
  /**
   * Message for operators about the failure of the HTTP request, which may contain host names and
   * addresses. Absent after a complete response.
   */
  error?: string
}

/** Limits that apply to an HTTP request. */
export interface ExchangeLimits {
  timeoutMs: number
  /** Maximum time for connecting to the HTTP server, including TLS. Part of `timeoutMs`. */
  connectMs: number
  maxResponseBytes: number
  signal: AbortSignal | undefined
}
