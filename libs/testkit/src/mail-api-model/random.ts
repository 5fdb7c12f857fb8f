/** Generator of random numbers that depend on a seed only (mulberry32). */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a random number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Returns a random integer from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** Returns a random decision: true with the given probability. */
  happens(probability: number): boolean {
    return probability > 0 && this.next() < probability
  }

  /** Returns a random text of `length` characters from an alphabet. */
  text(length: number, alphabet: string): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('')
  }
}
