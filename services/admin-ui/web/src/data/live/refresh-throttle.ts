/** Cache key of data that a page shows. */
type Key = readonly unknown[]

/**
 * Loads data again when it has changed: the first time immediately, then at most once per interval.
 * A change within the interval is loaded at its end.
 */
export class RefreshThrottle {
  readonly #refresh: (key: Key) => void
  readonly #everyMs: number
  /** Keys that were refreshed in the current interval. True: the key has changed since. */
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
