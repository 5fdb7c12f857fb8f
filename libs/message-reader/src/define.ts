/**
 * Reading: a function that reads content from clients or foreign servers, such as a part of a
 * message. Input and output must be cloneable, because a reading may run in another process.
 */
export interface Reading<Input, Output> {
  /**
   * Function that reads a part of a message or a request. If it throws an AppError, the calling
   * process throws the same AppError.
   */
  read: (input: Input) => Output | Promise<Output>
  /**
   * True if reading a part of a message or request takes at most a few milliseconds. Such a part is
   * read in the calling thread instead of a reader process, see `README.md`.
   */
  isSmall: (input: Input) => boolean
  /**
   * Returns a reduced result for a part of a message or request whose reading exceeded a limit.
   * Absent if no reduced result would be useful.
   */
  degrade?: (input: Input) => Output
  /**
   * Maximum CPU time of this kind of reading, as a multiple of the usual maximum for reading a part
   * of a message. Defaults to 1.
   */
  timeoutFactor?: number
  /**
   * Error text for a part of a message or request whose reading exceeded a limit and that has no
   * reduced result.
   */
  tooLong?: string
}

export function define<Input, Output>(reading: Reading<Input, Output>): Reading<Input, Output> {
  return reading
}

/** Total number of characters in several texts of a message. Each text may be undefined. */
export function lengthOf(texts: readonly (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
}
