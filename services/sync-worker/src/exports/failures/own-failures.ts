import { AppError, UnavailableError } from '@posthorn/errors'

const outageKinds: ReadonlySet<string> = new Set(['unavailable', 'unreachable', 'timeout'])

/**
 * Failures of an export that do not come from the mail system. Outages of this product's services
 * never end an export. Other errors end the export if they last, because a repetition does not
 * help.
 */
export class OwnFailures {
  /** Time of the first internal error after the export's last progress, in epoch milliseconds. */
  #since: number | undefined

  /** Drops the recorded internal errors. Called when the export makes progress. */
  reset(): void {
    this.#since = undefined
  }

  /**
   * Records an internal failure of an export. True if failures other than outages have lasted for
   * `maxMs`.
   */
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
