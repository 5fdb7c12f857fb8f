/** Options of one call. */
export interface CallOptions {
  /** Signal that ends the call, its retries and its stream. */
  signal?: AbortSignal | undefined
  /** Time after the start of the call within which further attempts may start. */
  retryForMs?: number | undefined
  /** Further request headers. */
  headers?: Readonly<Record<string, string>> | undefined
}

/** Operation of the API in the client. */
export interface Operation<T> {
  name: string
  /** Method and path template: `GET /v1/account/{account}`. */
  route: string
  /** True if a second request with the same content changes nothing more. */
  isRepeatable: boolean
  /** True if each call has an idempotency key. */
  hasIdempotencyKey?: boolean
  /** Reads the result from a successful response. */
  read(response: Response): Promise<T>
}

/** Input of any operation: its parameters and its body. */
export type OperationInput = object

/** Connection to the API, through which the functions of operations send their requests. */
export interface Client {
  call<T>(operation: Operation<T>, input?: OperationInput, options?: CallOptions): Promise<T>
}
