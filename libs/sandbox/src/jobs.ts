/** Bodies of functions with the parameters `payload`, `logger` and `env`. */
export interface Functions {
  filter: string | null
  map: string | null
}

/** Input of filter and map. */
export interface FunctionInput {
  /** Payload as JSON of an object. Each function gets its own copy. */
  payload: string
  /** Variables of the functions, as JSON of an object. */
  env: string
}

/** Failure of a filter or map. */
export interface FunctionProblem {
  function: 'filter' | 'map'
  reason: string
}

/** Result of filter and map for one payload. */
export interface FunctionResult {
  /** Result of the filter: true without a filter, false if the filter failed. */
  applies: boolean
  /** Output of the map, as JSON. Absent if the payload is unchanged. */
  body?: string
  problems: FunctionProblem[]
  /** Calls of `logger`, one line each. */
  logs: string[]
  /** CPU time of filter and map together. */
  usedMs: number
}

/**
 * Result of a filter for every event of one name. `depends`: the filter reads more than the name.
 */
export type StaticMatch = 'always' | 'never' | 'depends'

export type Job =
  | { kind: 'apply'; functions: Functions; input: FunctionInput }
  | { kind: 'match'; filter: string; event: string }
  | { kind: 'check'; source: string }

export interface JobResults {
  apply: FunctionResult
  match: StaticMatch
  /** Error of the source; null if the source is valid. */
  check: string | null
}

/** Limits of one function call. */
export interface CallLimits {
  /** CPU time of a call with a small payload. */
  cpuMs: number
  memoryBytes: number
  /** Maximum size of the output of a map. */
  outputChars: number
  /** Maximum size of payload and `env`. Functions are not called with larger input. */
  inputChars: number
}

export type JobResult = JobResults[Job['kind']]
