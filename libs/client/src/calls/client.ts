/** Options of one API call. */
export interface CallOptions {
  /** Signal that ends the API call, its retries and its stream. */
  signal?: AbortSignal | undefined
  /** Time after the start of the API call within which further attempts may start. */
  retryForMs?: number | undefined
  /** Further HTTP headers of the API request. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** Operation of the API, as the client calls it. */
export interface Operation<T> {
  name: string
  /** HTTP method and path template of the API operation: `GET /v1/account/{account}`. */
  route: string
  /** True if a second request of the API operation with the same content changes nothing more. */
  isRepeatable: boolean
  /** True if each call of the API operation has an idempotency key. */
  hasIdempotencyKey?: boolean
  /** Reads the result of the API operation from a successful response. */
  read(response: Response): Promise<T>
}

/** Input of any API operation: its parameters and its body. */
export type OperationInput = object

/** Connection to the API, through which the functions of operations send their requests. */
export interface Client {
  call<T>(operation: Operation<T>, input?: OperationInput, options?: CallOptions): Promise<T>
}
