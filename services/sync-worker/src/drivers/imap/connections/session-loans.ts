import type { MailSession } from '@posthorn/backends'

/** Loan of the connection that syncs to a command, until the command releases the connection. */
export interface SessionLoan {
  readonly session: MailSession
  readonly release: () => void
}

interface Borrower {
  readonly lend: (loan: SessionLoan) => void
}

/**
 * Lends the connection that syncs to commands, one after the other, FIFO. The session that syncs
 * lends between two syncs, when nothing depends on the selected mailbox.
 */
export class SessionLoans {
  readonly #interrupt: () => void
  readonly #borrowers = new Set<Borrower>()

  /** `interrupt` makes the session that syncs (and lends its connection) call `lend` soon. */
  constructor(interrupt: () => void) {
    this.#interrupt = interrupt
  }

  /** Waits for a loan of the connection that syncs. Rejects with the signal's reason. */
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
   * Lends the connection that syncs to all waiting commands. Returns true if the connection was
   * lent, so that another mailbox may be selected. Ends early if the connection is lost.
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
