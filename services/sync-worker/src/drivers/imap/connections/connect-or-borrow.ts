import type { SessionLoan } from './session-loans.ts'

/** Progress of a connection through the login limits. */
export interface ConnectTurns {
  /** Called if the login limits do not admit the connection immediately. */
  onWait?: () => void
  /** Called when the login limits admit the connection. */
  onTurn?: () => void
}

export interface ConnectOrBorrow<T> {
  connect: (signal: AbortSignal, turns: ConnectTurns) => Promise<T>
  borrow: (signal: AbortSignal) => Promise<SessionLoan>
}

/**
 * Opens a connection of an account. While the login limits delay the connection, also waits to
 * borrow the connection that syncs. When the loan comes first, the connection attempt is aborted,
 * and vice versa.
 */
export function connectOrBorrow<T>(
  { connect, borrow }: ConnectOrBorrow<T>,
  signal: AbortSignal,
): Promise<T | SessionLoan> {
  const [connecting, borrowing] = [new AbortController(), new AbortController()]
  return new Promise((resolve, reject) => {
    const onLoan = (loan: SessionLoan) => {
      if (borrowing.signal.aborted) return loan.release()
      connecting.abort()
      resolve(loan)
    }
    const onWait = () => {
      borrow(AbortSignal.any([signal, borrowing.signal])).then(onLoan, () => undefined)
    }
    let isWaiting = false
    const turns = {
      onWait() {
        if (!isWaiting) onWait()
        isWaiting = true
      },
      onTurn: () => borrowing.abort(),
    }
    connect(AbortSignal.any([signal, connecting.signal]), turns).then(resolve, (error: unknown) => {
      borrowing.abort()
      reject(error as Error)
    })
  })
}
