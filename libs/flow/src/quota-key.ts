import type { UnitBucket } from './unit-bucket.ts'

/** Call that waits in the quota limiter until its quota units are available. */
export interface Waiter {
  units: number
  slots: number
  priority: number
  admit: () => void
}

/** Loan of quota units: reply of the quota limiter to another process that needs units of a key. */
export interface Loan {
  isGranted: boolean
  /**
   * If a loan of quota units is granted, time after which its units may be used. Otherwise, time
   * after which another request for a loan may be granted.
   */
  delayMs: number
  /**
   * Remaining time for which the quota limiter starts no calls of a key. 0 if the key is not
   * paused.
   */
  pauseMs: number
}

/**
 * State of one key in the quota limiter, such as a mailbox. The state is removed from memory when
 * it equals the state of a new key.
 */
export interface KeyState<K> {
  key: K
  bucket: UnitBucket
  /** Time from which the quota units of a key are counted. See `startOf` of the quota limiter. */
  startedAt: number | undefined
  /**
   * Quota units of a limiter key that were lent to other processes while calls of this process
   * waited, and for which these calls have not yet got their part.
   */
  lentUnits: number
  running: number
  pausedUntil: number
  /** Time until which calls with this key of the quota limiter run one at a time. */
  narrowUntil: number
  /**
   * Calls with this key of the quota limiter that wait for quota: for each priority a set in FIFO
   * order.
   */
  waiting: Set<Waiter>[]
  /** Sum of the quota units for which calls with this key wait, for each priority. */
  waitingUnits: number[]
  /**
   * Priority of the first waiting call of a key, if this call waits only for the quota of all keys
   * together. The key is then in the ring (rotating list) of that priority.
   */
  ring: number | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Creates the state of a key of the quota limiter without waiting or running calls. */
export function createKey<K>(key: K, bucket: UnitBucket, priorities: number): KeyState<K> {
  return {
    key,
    bucket,
    startedAt: undefined,
    lentUnits: 0,
    running: 0,
    pausedUntil: -Infinity,
    narrowUntil: -Infinity,
    waiting: Array.from({ length: priorities }, () => new Set()),
    waitingUnits: Array.from({ length: priorities }, () => 0),
    ring: undefined,
    timer: undefined,
  }
}

/**
 * Returns the first waiting call of a key of the quota limiter, in the highest priority that has
 * waiting calls.
 */
export function firstOf<K>({ waiting }: KeyState<K>): Waiter | undefined {
  for (const waiters of waiting) for (const waiter of waiters) return waiter
  return undefined
}

/**
 * Number of quota units that may be lent for each unit for which a call waits. Loans and calls of
 * the highest priority share the units equally. Calls of other priorities get at least a fifth.
 */
export function lentPerCallUnit(priority: number): number {
  return priority === 0 ? 1 : 4
}

/**
 * Delay before a loan of quota units may be granted, so that the first waiting call of the key gets
 * its part of the units first. 0 if no part is due.
 */
export function callDelayMs<K>(state: KeyState<K>): number {
  const first = firstOf(state)
  if (first === undefined) state.lentUnits = 0
  const isOwed = first && state.lentUnits >= first.units * lentPerCallUnit(first.priority)
  return isOwed ? state.bucket.delayMs(first.units) : 0
}

/**
 * Rounds a delay of the quota limiter up to whole milliseconds and limits it to the maximum of
 * `setTimeout`.
 */
export function timerMs(delayMs: number): number {
  return Math.min(Math.ceil(delayMs), 2 ** 31 - 1)
}
