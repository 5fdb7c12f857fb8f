import type { MailSession } from '@posthorn/backends'

/** Loan of the account's sync connection to a command, until the command releases it. */
export interface SessionLoan {
  readonly session: MailSession
  readonly release: () => void
}

interface Borrower {
  readonly lend: (loan: SessionLoan) => void
}

/**
 * Lends the account's sync connection to commands, one after the other, in FIFO order. The
 * connection is lent only between two syncs, when no sync depends on the selected mailbox.
 */
export class SessionLoans {
  readonly #interrupt: () => void
  readonly #borrowers = new Set<Borrower>()

  /**
   * `interrupt` interrupts the wait of the sync for notifications, so that the sync soon calls
   * `lend`.
   */
  constructor(interrupt: () => void) {
    this.#interrupt = interrupt
  }

  /**
   * Waits until the account's sync connection is lent to a command. Rejects with the abort reason
   * of `signal`.
   */
  borrow(signal: AbortSignal): Promise<SessionLoan> {
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#borrowers.delete(borrower)
        reject(signal.reason as Error)
      }
      const borrower: Borrower = {
        lend(loan) {
          signal.removeEventListener('abort', onAbort)
          resolve(loan)
        },
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#borrowers.add(borrower)
      this.#interrupt()
    })
  }

  /**
   * Lends the sync connection to all waiting commands, one after the other. Returns true if a
   * command used the connection and may have selected another mailbox. Ends early if the connection
   * is lost.
   */
  async lend(session: MailSession): Promise<boolean> {
    let isLent = false
    const closed = session.closed.then(() => true)
    for (const borrower of this.#borrowers) {
      this.#borrowers.delete(borrower)
      const { promise: returned, resolve } = Promise.withResolvers<false>()
      borrower.lend({ session, release: () => resolve(false) })
      isLent = true
      if (await Promise.race([closed, returned])) break
    }
    return isLent
  }
}
