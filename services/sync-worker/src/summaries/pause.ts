/** Failures in a row after which the endpoint is left alone for a while. */
const maxFailures = 3
const firstPauseMs = 30_000
const maxPauseMs = 600_000

/**
 * Keeps an endpoint that does not answer from being waited for by every message: after some failures in a row it is left alone, then asked
 * by one message at a time, and for longer each time that fails.
 */
export class Pause {
  readonly #now: () => number
  #failures = 0
  #pauseMs = 0
  #until = 0
  #probing = false

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Whether it may be asked now; whoever is told so says what came of it. */
  begin(): boolean {
    if (this.#now() < this.#until || this.#probing) return false
    this.#probing = this.#pauseMs > 0
    return true
  }

  /** Nothing came of it that says anything about the endpoint. */
  gaveUp(): void {
    this.#probing = false
  }

  answered(): void {
    this.#failures = 0
    this.#pauseMs = 0
    this.#probing = false
  }

  /** `retryAfterMs`: what the endpoint asked for. */
  failed(retryAfterMs = 0): void {
    const wasProbe = this.#probing
    this.#probing = false
    this.#failures += 1
    const now = this.#now()
    const isPaused = now < this.#until
    this.#until = Math.max(this.#until, now + Math.min(maxPauseMs, retryAfterMs))
    // Of those that were asked side by side only the first makes the pause longer.
    if (!wasProbe && (isPaused || this.#failures < maxFailures)) return
    this.#pauseMs = Math.min(maxPauseMs, this.#pauseMs === 0 ? firstPauseMs : 2 * this.#pauseMs)
    this.#until = Math.max(this.#until, now + this.#pauseMs)
  }

  /** Something about it was changed: it may be another one. */
  reset(): void {
    this.answered()
    this.#until = 0
  }
}
