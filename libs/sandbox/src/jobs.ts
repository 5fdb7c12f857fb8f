/**
 * Bodies of the filter and map function of a webhook route, with the parameters `payload`, `logger`
 * and `env`.
 */
export interface Functions {
  filter: string | null
  map: string | null
}

/** Input of the filter and map function of a webhook route. */
export interface FunctionInput {
  /** Webhook payload as JSON of an object. Each function gets its own copy. */
  payload: string
  /** Variables (`env`) of the filter and map function, as JSON of an object. */
  env: string
}

/** Failure of a filter or map function. */
export interface FunctionProblem {
  function: 'filter' | 'map'
  reason: string
}

/** Result of the filter and map function for one webhook payload. */
export interface FunctionResult {
  /**
   * Result of the filter function of a webhook route: true without a filter, false if the filter
   * failed.
   */
  applies: boolean
  /** Webhook body from the map function, as JSON. Absent if the payload is unchanged. */
  body?: string
  problems: FunctionProblem[]
  /** Calls of `logger` by the filter and map function, one line each. */
  logs: string[]
  /** CPU time of a webhook route's filter and map function together, in milliseconds. */
  usedMs: number
}

/**
 * Result of a filter function for every event with one name. `depends`: the filter reads more than
 * the event's name.
 */
export type StaticMatch = 'always' | 'never' | 'depends'

export type Job =
  | { kind: 'apply'; functions: Functions; input: FunctionInput }
  | { kind: 'match'; filter: string; event: string }
  | { kind: 'check'; source: string }

export interface JobResults {
  apply: FunctionResult
  match: StaticMatch
  /** Syntax error in the source of a filter or map function; null if the source is valid. */
  check: string | null
}

/** Limits of one call of a filter or map function. */
export interface CallLimits {
  /** CPU time limit of a call of a filter or map function with a small payload. */
  cpuMs: number
  memoryBytes: number
  /** Maximum size of the output of a map function, in characters. */
  outputChars: number
  /**
   * Maximum size of payload and `env` in characters. Functions are not called with larger input.
   */
  inputChars: number
}

export type JobResult = JobResults[Job['kind']]
