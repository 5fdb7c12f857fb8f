/** The promise, or a rejection with the signal's reason if that comes first. What the promise does later is nobody's concern. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    const settle = () => signal.removeEventListener('abort', stop)
    promise.then(resolve, reject).finally(settle).catch(ignore)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

/** Waits for a promise at most so long, and does not tell how it ended: for closing things. */
export async function atMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(() => timeout.resolve(), ms)
  await Promise.race([promise.then(ignore, ignore), timeout.promise])
  clearTimeout(timer)
}

export function ignore(): void {}

/** A state that comes and goes, and that one can wait for. */
export class Latch {
  #open = false
  #opened = Promise.withResolvers<void>()

  get isOpen(): boolean {
    return this.#open
  }

  open(): void {
    this.#open = true
    this.#opened.resolve()
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    this.#opened = Promise.withResolvers()
  }

  set(open: boolean): void {
    if (open) this.open()
    else this.close()
  }

  /** Rejects with the signal's reason. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    // Opened and closed again before we were run: wait on.
    while (!this.#open) await orAbort(this.#opened.promise, signal)
  }
}

/** At most so many at once; the others wait in line. */
export class Slots {
  #free: number
  readonly #line = new Set<() => void>()
  readonly #all: number

  constructor(slots: number) {
    this.#free = slots
    this.#all = slots
  }

  /** Rejects with the signal's reason; then nothing was taken. */
  async take(signal: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    const turn = Promise.withResolvers<void>()
    this.#line.add(turn.resolve)
    const leave = () => {
      if (this.#line.delete(turn.resolve)) turn.reject(signal.reason)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    await turn.promise.finally(() => signal.removeEventListener('abort', leave))
  }

  /** Resolves when nothing is at work any more, and lets nothing in from then on. */
  async takeAll(signal: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: this.#all }, () => this.take(signal)))
  }

  release(): void {
    const [next] = this.#line
    if (!next) {
      this.#free += 1
      return
    }
    this.#line.delete(next)
    next()
  }
}
