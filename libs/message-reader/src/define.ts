/** Function that reads content of clients or foreign servers. Input and output can be cloned. */
export interface Reading<Input, Output> {
  /** An AppError is a result: it is thrown in the calling process. */
  read: (input: Input) => Output | Promise<Output>
  /** True if reading takes a few milliseconds at most, see `README.md`. */
  isSmall: (input: Input) => boolean
  /** Result beyond a limit. Absent if there is no useful result beyond the limit. */
  degrade?: (input: Input) => Output
  /** CPU time as a multiple of the CPU time of a reading. Default 1. */
  timeoutFactor?: number
  /** Error beyond a limit without a degraded result. */
  tooLong?: string
}

export function define<Input, Output>(reading: Reading<Input, Output>): Reading<Input, Output> {
  return reading
}

/** Characters of texts, some of which may be absent. */
export function lengthOf(texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
}
