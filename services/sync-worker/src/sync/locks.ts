/** One piece of work on a mailbox at a time, in the order in which it was asked for: an account may look at one over several connections. */
export class MailboxLocks {
  readonly #last = new Map<string, Promise<void>>()

  async run<T>(mailbox: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(mailbox)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(mailbox, promise)
    await before
    try {
      return await work()
    } finally {
      if (this.#last.get(mailbox) === promise) this.#last.delete(mailbox)
      resolve()
    }
  }
}
