/**
 * Function that returns the current time in milliseconds. The origin of the time is arbitrary,
 * because only differences are used.
 */
export type Clock = () => number

/** Monotonic clock of the process. Changes of the system time do not affect this clock. */
export const monotonicClock: Clock = () => performance.now()
