export interface TaskGroupOptions {
  /** Called with the error of a task of the group that rejected. Default: errors are ignored. */
  onError?: (error: unknown) => void
}

/**
 * Task group: running promises that can be drained. Costs one counter, for any number of promises.
 */
export class TaskGroup implements AsyncDisposable {
  readonly #onError: ((error: unknown) => void) | undefined
  #running = 0
  #idleListeners: (() => void)[] = []

  constructor({ onError }: TaskGroupOptions = {}) {
    this.#onError = onError
  }

  /** Number of running tasks of the group. */
  get size(): number {
    return this.#running
  }

  /** Adds a running task to the group. Its rejection goes to `onError` and is never unhandled. */
  run(task: Promise<unknown>): void {
    this.#running += 1
    void task.then(this.#finished, this.#failed)
  }

  /** Resolves when no task of the group runs, including tasks added meanwhile. Never rejects. */
  async drain(): Promise<void> {
    while (this.#running > 0)
      await new Promise<void>((resolve) => this.#idleListeners.push(resolve))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.drain()
  }

  readonly #failed = (error: unknown): void => {
    this.#finished()
    this.#onError?.(error)
  }

  readonly #finished = (): void => {
    this.#running -= 1
    if (this.#running > 0 || this.#idleListeners.length === 0) return
    for (const resolve of this.#idleListeners.splice(0)) resolve()
  }
}
