export interface TaskGroupOptions {
  /** Called with the error when a task of the group rejects. By default, errors are ignored. */
  onError?: (error: unknown) => void
}

/**
 * Task group: a set of running promises whose end can be awaited. The group stores only a counter,
 * regardless of the number of promises.
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

  /**
   * Adds a running task to the group. If the task rejects, `onError` is called, and the rejection
   * never counts as unhandled.
   */
  run(task: Promise<unknown>): void {
    this.#running += 1
    void task.then(this.#finished, this.#failed)
  }

  /**
   * Resolves when no task of the group is running. Also waits for tasks that are added in the
   * meantime. Never rejects.
   */
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
