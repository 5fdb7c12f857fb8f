import { AppError } from '@posthorn/errors'

/** Maximum wait for a connection, during which an export keeps other exports from their turns. */
export const maxWaitMs = 10_000

/**
 * Wait of an export for a connection. `signal` aborts with the signal of the export, and with an
 * AppError `rate-limited` after `maxWaitMs`. Disposal ends the wait: there is a connection.
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
