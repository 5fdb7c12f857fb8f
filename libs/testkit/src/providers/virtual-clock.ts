interface Wait {
  due: number
  resolve: () => void
}

/** Virtual clock that a test sets forward. Times are milliseconds since 1970. */
export class VirtualClock {
  #now: number
  readonly #waits = new Set<Wait>()

  constructor(start = new Date('2026-11-01T12:00:00Z')) {
    this.#now = start.getTime()
  }

  get now(): number {
    return this.#now
  }

  get date(): Date {
    return new Date(this.#now)
  }

  /** Sets the virtual clock forward and ends the waits that are due, earliest first. */
  advance(ms: number): void {
    this.#now += ms
    const due = [...this.#waits].filter((wait) => wait.due <= this.#now)
    for (const wait of due.sort((one, other) => one.due - other.due)) {
      this.#waits.delete(wait)
      wait.resolve()
    }
  }

  /** Resolves when a test has set the virtual clock forward by `ms`, independent of real time. */
  wait(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve()
    return new Promise((resolve) => void this.#waits.add({ due: this.#now + ms, resolve }))
  }
}
