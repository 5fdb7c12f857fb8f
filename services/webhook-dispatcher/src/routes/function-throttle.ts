/** Calls of a route's functions that take longer count as slow. */
const slowMs = 50
/** Slow calls in a row after which they are not made for a while. */
const maxSlow = 3
const firstPauseMs = 10_000
const maxPauseMs = 600_000

interface Record {
  slow: number
  pauseMs: number
  until: number
}

/**
 * Keeps slow functions from holding up the events of everybody: after some slow calls a function is left alone for a while, that doubles
 * each time that it is slow again. Meanwhile it counts as failed.
 */
export class FunctionThrottle {
  readonly #records = new Map<string, Record>()
  readonly #now: () => number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  isOut(functions: string): boolean {
    return (this.#records.get(functions)?.until ?? 0) > this.#now()
  }

  /** `allowedMs`: what the size of the payload allows in addition. */
  note(functions: string, usedMs: number, allowedMs = 0): void {
    if (usedMs <= slowMs + allowedMs) {
      this.#records.delete(functions)
      return
    }
    const { slow, pauseMs, until } = this.#records.get(functions) ?? {
      slow: 0,
      pauseMs: 0,
      until: 0,
    }
    const isOver = slow + 1 >= maxSlow && until <= this.#now()
    if (!isOver) {
      this.#records.set(functions, { slow: slow + 1, pauseMs, until })
      return
    }
    const next = Math.min(maxPauseMs, pauseMs === 0 ? firstPauseMs : 2 * pauseMs)
    this.#records.set(functions, { slow: slow + 1, pauseMs: next, until: this.#now() + next })
  }

  /** Forgets all but these. */
  keepOnly(functions: ReadonlySet<string>): void {
    for (const known of this.#records.keys()) if (!functions.has(known)) this.#records.delete(known)
  }
}
