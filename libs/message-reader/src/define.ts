/**
 * Reading: function that reads content of clients or foreign servers, such as a part of a message.
 * Input and output can be cloned.
 */
export interface Reading<Input, Output> {
  /**
   * Reads the input. An AppError is a result of the reading: it is thrown in the calling process.
   */
  read: (input: Input) => Output | Promise<Output>
  /** True if reading the input takes a few milliseconds at most, see `README.md`. */
  isSmall: (input: Input) => boolean
  /** Result of a reading beyond a limit. Absent if there is no useful result beyond the limit. */
  degrade?: (input: Input) => Output
  /** Maximum CPU time of this reading as a multiple of the maximum of other readings. Default 1. */
  timeoutFactor?: number
  /** Error text of a reading beyond a limit that has no degraded result. */
  tooLong?: string
}

export function define<Input, Output>(reading: Reading<Input, Output>): Reading<Input, Output> {
  return reading
}

/** Number of characters of texts, some of which may be absent. */
export function lengthOf(texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
}
