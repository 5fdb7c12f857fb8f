/** Current time in milliseconds. Only differences count, so any origin is valid. */
export type Clock = () => number

/** Monotonic clock of the process. A changed system time does not affect it. */
export const monotonicClock: Clock = () => performance.now()
