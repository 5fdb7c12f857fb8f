/**
 * Logins per second that this worker may start at one host. Each worker has an equal part of the
 * limit, because all live workers may log in at the host.
 */
export class LoginRate {
  /** Number of live workers. */
  workers = 1
  readonly #total: number

  constructor(total: number) {
    this.#total = total
  }

  get perSecond(): number {
    return this.#total / this.workers
  }
}
