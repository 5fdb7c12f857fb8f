import type { IncomingHttpHeaders } from 'node:http'
import type { HttpOutcome } from './outcome.ts'

export interface CallRequest {
  method: 'GET' | 'POST'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Optional; defaults to the timeout of the `HttpCaller`. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** Result of one request. */
export interface ExchangeResult {
  outcome: HttpOutcome
  /** Absent if there was no response. */
  status?: number
  headers: IncomingHttpHeaders
  /** At most `maxResponseBytes`, as sent: nothing is decompressed. */
  body: Buffer
  /**
   * Error message for operators, may name hosts and addresses. Absent after a complete response.
   */
  error?: string
}

/** Limits of one request. */
export interface ExchangeLimits {
  timeoutMs: number
  /** Timeout of the connection, TLS included, within `timeoutMs`. */
  connectMs: number
  maxResponseBytes: number
  signal: AbortSignal | undefined
}
