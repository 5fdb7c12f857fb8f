import type { UnitBucket } from './unit-bucket.ts'

/** Call that waits for its quota. */
export interface Waiter {
  units: number
  slots: number
  priority: number
  admit: () => void
}

/** Result of a request for units of a key by another process. */
export interface Loan {
  isGranted: boolean
  /**
   * Time after which the units of a granted loan may be used; otherwise, time after which another
   * request may be granted.
   */
  delayMs: number
  /** Remaining pause of the key; 0 if the key is not paused. */
  pauseMs: number
}

/** State of one key of the quota limiter, dropped when it equals the state of a new key. */
export interface KeyState<K> {
  key: K
  bucket: UnitBucket
  /** Time from which the units of the key are counted, see `startOf` of the quota limiter. */
  startedAt: number | undefined
  /** Units lent while calls waited, for which the waiting calls have not got their part yet. */
  lentUnits: number
  running: number
  pausedUntil: number
  /** Time until which calls of the key run one by one. */
  narrowUntil: number
  /** Waiting calls of the key by priority, FIFO. */
  waiting: Set<Waiter>[]
  /** Quota units of the waiting calls of the key, by priority. */
  waitingUnits: number[]
  /**
   * Priority of the ring that contains the key: the first call of the key may run as soon as the
   * total quota permits.
   */
  ring: number | undefined
  timer: ReturnType<typeof setTimeout> | undefined
}

/** Creates the state of a key without calls. */
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

/** First waiting call of a key, by priority. */
export function firstOf<K>({ waiting }: KeyState<K>): Waiter | undefined {
  for (const waiters of waiting) for (const waiter of waiters) return waiter
  return undefined
}

/**
 * Units that may be lent for each unit of a waiting call: a loan and a call of the highest priority
 * get equal parts of the units, other calls at least a fifth.
 */
export function lentPerCallUnit(priority: number): number {
  return priority === 0 ? 1 : 4
}

/** Delay of a loan until the first waiting call of the key got its part of the units. */
export function callDelayMs<K>(state: KeyState<K>): number {
  const first = firstOf(state)
  if (first === undefined) state.lentUnits = 0
  const isOwed = first && state.lentUnits >= first.units * lentPerCallUnit(first.priority)
  return isOwed ? state.bucket.delayMs(first.units) : 0
}

/** Delay of a timer, whole and within the range of `setTimeout`. */
export function timerMs(delayMs: number): number {
  return Math.min(Math.ceil(delayMs), 2 ** 31 - 1)
}
