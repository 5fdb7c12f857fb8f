/** Cache key of data that a page shows. */
type Key = readonly unknown[]

/**
 * Loads data of a page again when the data has changed: the first time immediately, then at most
 * once per interval. A change within the interval is loaded at the end of the interval.
 */
export class RefreshThrottle {
  readonly #refresh: (key: Key) => void
  readonly #everyMs: number
  /**
   * Cache keys of the data that was loaded again in the current interval. True: the data has
   * changed since.
   */
  readonly #waiting = new Map<string, boolean>()

  constructor(everyMs: number, refresh: (key: Key) => void) {
    this.#everyMs = everyMs
    this.#refresh = refresh
  }

  /** Reports that data with the cache key has changed. */
  changed(key: Key): void {
    const text = JSON.stringify(key)
    if (this.#waiting.has(text)) this.#waiting.set(text, true)
    else this.#run(key, text)
  }

  #run(key: Key, text: string): void {
    this.#waiting.set(text, false)
    this.#refresh(key)
    setTimeout(() => {
      const hasChanged = this.#waiting.get(text) === true
      this.#waiting.delete(text)
      if (hasChanged) this.#run(key, text)
    }, this.#everyMs)
  }
}
