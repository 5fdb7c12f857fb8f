import type { SessionLoan } from './session-loans.ts'

/** Callbacks for the progress of a connection that may have to wait for a login permit. */
export interface ConnectTurns {
  /** Called if a new mail connection has to wait for a login permit. */
  onWait?: () => void
  /** Called when the new mail connection has received its login permit. */
  onTurn?: () => void
}

export interface ConnectOrBorrow<T> {
  connect: (signal: AbortSignal, turns: ConnectTurns) => Promise<T>
  borrow: (signal: AbortSignal) => Promise<SessionLoan>
}

/**
 * Opens a connection of an account to its mail server. While the login limits delay the connection,
 * also waits to borrow the account's sync connection. As soon as a connection is available, the
 * remaining wait is aborted.
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
