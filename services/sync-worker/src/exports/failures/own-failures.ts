import { AppError, UnavailableError } from '@posthorn/errors'

const outageKinds: ReadonlySet<string> = new Set(['unavailable', 'unreachable', 'timeout'])

/**
 * Failures of an export that do not come from the mail system. Outages of services of this product
 * never end an export, other errors end it if they last: a repeat does not help.
 */
export class OwnFailures {
  /** Time of the first error without progress since then, in epoch milliseconds. */
  #since: number | undefined

  /** Called when the export makes progress. */
  reset(): void {
    this.#since = undefined
  }

  /** Counts a failure. True if errors have lasted for `maxMs`. */
  isOver(error: unknown, maxMs: number, now = Date.now()): boolean {
    if (isOutage(error)) return false
    this.#since ??= now
    return now - this.#since >= maxMs
  }
}

function isOutage(error: unknown): boolean {
  if (error instanceof UnavailableError) return true
  return error instanceof AppError && outageKinds.has(error.kind)
}
