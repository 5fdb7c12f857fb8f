import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { HttpOutcome } from './outcome.ts'

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface CallRequest {
  method: HttpMethod
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Timeout of the HTTP call; defaults to the timeout of the `HttpCaller`. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** Body of an HTTP request that is sent as it is produced, with back-pressure. */
export interface StreamedBody {
  chunks: AsyncIterable<Uint8Array>
  /**
   * Exact number of bytes of the request body; other lengths fail the request. Absent: sent
   * chunked.
   */
  length?: number
}

/** HTTP request whose response is streamed. */
export interface StreamRequest extends Omit<CallRequest, 'body'> {
  body?: string | Uint8Array | StreamedBody
  /**
   * Maximum decoded bytes of the response body; defaults to `maxResponseBytes`. A longer body
   * fails.
   */
  maxBytes?: number
  /**
   * Maximum silence of the HTTP server, in milliseconds; defaults to 30 s. The time in which the
   * caller neither reads the response nor supplies the request does not count.
   */
  idleTimeoutMs?: number
  /**
   * Maximum time that the HTTP server takes for the response body, in milliseconds. The time in
   * which the caller does not read does not count. With `bodyTimeoutMs`, `timeoutMs` ends at the
   * head of the response; otherwise `timeoutMs` includes the body and the pauses of its reader.
   */
  bodyTimeoutMs?: number
}

/** HTTP response whose body is read as it arrives. */
export interface StreamedResponse extends Disposable {
  status: number
  headers: IncomingHttpHeaders
  /**
   * Decoded bytes of the response body, with back-pressure. Fails with `HttpError`, also if the
   * body is incomplete. Unless the body is read to its end, dispose of the response, which closes
   * the connection.
   */
  body: Readable
}

/** Failure of a streamed HTTP request or of its response body. */
export class HttpError extends Error {
  override name = 'HttpError'
  readonly outcome: HttpOutcome
  /**
   * Code of the network failure of an HTTP request, such as `ENOTFOUND`. Absent for other failures.
   */
  readonly code: string | undefined

  /**
   * Creates the error. `message` is for operators and may name hosts and addresses. It contains no
   * header or query.
   */
  constructor(outcome: HttpOutcome, message: string, code?: string) {
    super(message)
    this.outcome = outcome
    this.code = code
  }
}

/** Result of one HTTP request. */
export interface ExchangeResult {
  outcome: HttpOutcome
  /** Status of the HTTP response; absent if there was no response. */
  status?: number
  headers: IncomingHttpHeaders
  /** Body of the HTTP response as sent, at most `maxResponseBytes`: nothing is decompressed. */
  body: Buffer
  /**
   * Error message of a failed HTTP request for operators, which may name hosts and addresses.
   * Absent after a complete response.
   */
  error?: string
}

/** Limits of one HTTP request. */
export interface ExchangeLimits {
  timeoutMs: number
  /** Timeout of connecting to the HTTP server, TLS included, within `timeoutMs`. */
  connectMs: number
  maxResponseBytes: number
  signal: AbortSignal | undefined
}
