import type { VirtualClock } from './virtual-clock.ts'

/** Quota units per key in a moving time window, such as 6,000 units per minute and mailbox. */
export class UnitQuota {
  readonly #clock: VirtualClock
  readonly #limit: number
  readonly #windowMs: number
  readonly #taken = new Map<string, { at: number; units: number }[]>()

  constructor(clock: VirtualClock, limit: number, windowMs: number) {
    this.#clock = clock
    this.#limit = limit
    this.#windowMs = windowMs
  }

  /**
   * Takes quota units and returns 0. If the units are not available, takes none and returns the
   * milliseconds until they are available. Returns Infinity for more units than the limit.
   */
  take(key: string, units: number): number {
    if (units > this.#limit) return Infinity
    const start = this.#clock.now - this.#windowMs
    const taken = (this.#taken.get(key) ?? []).filter(({ at }) => at > start)
    this.#taken.set(key, taken)
    let used = taken.reduce((sum, each) => sum + each.units, 0)
    if (used + units <= this.#limit) {
      taken.push({ at: this.#clock.now, units })
      return 0
    }
    for (const each of taken) {
      used -= each.units
      if (used + units <= this.#limit) return each.at - start
    }
    return Infinity
  }
}
