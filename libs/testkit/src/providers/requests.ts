import type { IncomingHttpHeaders } from 'node:http'

/** Request to a provider fake. */
export interface ProviderRequest {
  /** Id of the requested operation in the API description of the provider. */
  operation: string
  method: string
  /**
   * Path of the request to the provider fake without the query. Only the values in `params` are
   * decoded.
   */
  path: string
  /** Decoded values of the names in the path template of the requested operation. */
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingHttpHeaders
  raw: Buffer
  /**
   * Parsed JSON body of the request to a provider fake. Undefined without a body, or with another
   * content type.
   */
  body: unknown
  /** Virtual time at which the request arrived at the provider fake. */
  at: number
  /**
   * Signal that aborts when the client disconnects before it has received the provider fake's
   * response.
   */
  signal: AbortSignal
  /**
   * Resolves when the response of the provider fake was sent or cut off. Absent for parts of a
   * batch.
   */
  closed?: Promise<void>
}

/** Response of a handler of a provider fake. An object is sent as JSON. */
export interface ProviderResponse {
  /** HTTP status of a provider fake's response. Defaults to 200, and to 204 without a body. */
  status?: number
  headers?: Record<string, string>
  body?: object | string | Uint8Array
}

/** Logged request of a provider fake. */
export interface LoggedRequest extends ProviderRequest {
  /** Cost of the logged request in quota units of the mail provider. */
  units: number
  /**
   * Number of requests to the provider fake in flight when this request arrived, including this
   * request.
   */
  inFlight: number
  /**
   * HTTP status of a provider fake's response. Absent before the response, and after a reset of the
   * connection.
   */
  status?: number
}
