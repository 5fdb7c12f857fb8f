/** Bodies of functions of `payload`, `logger` and `env`. */
export interface Functions {
  filter: string | null
  map: string | null
}

/** What functions see. */
export interface FunctionInput {
  /** JSON of an object. Each function gets a copy of its own. */
  payload: string
  /** JSON of an object. */
  env: string
}

/** Why a function was not heard. */
export interface FunctionProblem {
  function: 'filter' | 'map'
  reason: string
}

/** What the functions make of a payload. */
export interface FunctionResult {
  /** What the filter says; true without one. A filter that fails says no. */
  applies: boolean
  /** What the map made of the payload, as JSON; absent: the payload stays as it is. */
  body?: string
  problems: FunctionProblem[]
  /** What the functions gave to `logger`, a line a call. */
  logs: string[]
  /** Of the processor. */
  usedMs: number
}

/** What a filter says when it is told nothing but the name of an event; `depends`: it looks at more than that. */
export type StaticMatch = 'always' | 'never' | 'depends'

export type Job =
  | { kind: 'apply'; functions: Functions; input: FunctionInput }
  | { kind: 'judge'; filter: string; event: string }
  | { kind: 'check'; source: string }

export interface JobResults {
  apply: FunctionResult
  judge: StaticMatch
  /** What is wrong with the source; null: nothing. */
  check: string | null
}

/** Bounds of one function's call. */
export interface Bounds {
  /** Time of the processor, for small payloads. */
  cpuMs: number
  memoryBytes: number
  /** Of what a map makes. */
  outputChars: number
  /** A larger payload is not shown to functions. */
  inputChars: number
}

export type JobResult = JobResults[Job['kind']]

/** What a thread is given at its start. Jobs come to it several in a message; it answers with the results of the first, so many as it had time for. */
export interface ThreadData {
  bounds: Bounds
  /** Written by the thread: its own time in microseconds when it began with the job at hand, and which of its jobs that is. */
  progress: Float64Array
}
