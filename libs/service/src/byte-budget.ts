interface Waiting {
  bytes: number
  enter: () => void
}

/**
 * How many bytes may be in memory for some purpose at once. Who asks for more than is left waits for its turn, first come, first served; who
 * asks for more than there is gets all of it.
 */
export class ByteBudget {
  readonly #size: number
  readonly #waiting: Waiting[] = []
  #left: number

  constructor(size: number) {
    this.#size = size
    this.#left = size
  }

  /** Waits for the room; give it back by disposing. Rejects with the reason of the signal. */
  async take(asked: number, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const bytes = Math.min(asked, this.#size)
    if (this.#waiting.length > 0 || this.#left < bytes) await this.#turn(bytes, signal)
    else this.#left -= bytes
    let back = false
    return {
      [Symbol.dispose]: () => {
        if (back) return
        back = true
        this.#left += bytes
        this.#admit()
      },
    }
  }

  #turn(bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = {
      bytes,
      enter: () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      },
    }
    const giveUp = () => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      reject(signal.reason as Error)
      this.#admit()
    }
    this.#waiting.push(waiting)
    signal.addEventListener('abort', giveUp, { once: true })
    return promise
  }

  #admit(): void {
    for (let [next] = this.#waiting; next && next.bytes <= this.#left; [next] = this.#waiting) {
      this.#waiting.shift()
      this.#left -= next.bytes
      next.enter()
    }
  }
}
