import { AppError } from '@posthorn/errors'

/**
 * Maximum wait of an export for an IMAP connection. During the wait, fewer other exports can work.
 */
export const maxWaitMs = 10_000

/**
 * Wait of an export for an IMAP connection. `signal` aborts with the signal of the export, and with
 * an AppError `rate-limited` after `maxWaitMs`. Disposal ends this time limit when the export has a
 * connection.
 */
export class ConnectionWait implements Disposable {
  readonly signal: AbortSignal
  readonly #timer: NodeJS.Timeout

  constructor(signal: AbortSignal) {
    const over = new AbortController()
    this.signal = AbortSignal.any([signal, over.signal])
    this.#timer = setTimeout(() => over.abort(busyError()), maxWaitMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}

function busyError(): AppError {
  return new AppError('rate-limited', 'All connections of the account are in use')
}
