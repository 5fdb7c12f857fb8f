import type { IncomingHttpHeaders } from 'node:http'

/** Request to a provider fake. */
export interface ProviderRequest {
  /** Id of the operation, as in the description. */
  operation: string
  method: string
  /** Path without the query, decoded per segment in `params` only. */
  path: string
  /** Values of the names in the path template, decoded. */
  params: Record<string, string>
  query: URLSearchParams
  headers: IncomingHttpHeaders
  raw: Buffer
  /** JSON body. Undefined without a body, or with another content type. */
  body: unknown
  /** Virtual time at which the request arrived. */
  at: number
  /** Aborted when the client disconnects before it has the response. */
  signal: AbortSignal
  /** Resolves when the response was sent or cut. Absent for parts of a batch. */
  closed?: Promise<void>
}

/** Response of a provider fake. An object is sent as JSON. */
export interface ProviderResponse {
  /** Status of the response; defaults to 200, without a body to 204. */
  status?: number
  headers?: Record<string, string>
  body?: object | string | Uint8Array
}

/** Request in the log of a fake. */
export interface LoggedRequest extends ProviderRequest {
  /** Cost of the request in units. */
  units: number
  /** Requests in flight when this request arrived, this request included. */
  inFlight: number
  /** Status of the response. Absent before the response, and after a reset. */
  status?: number
}
