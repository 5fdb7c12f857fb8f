import { AppError } from '@posthorn/errors'

/**
 * Failed attempts to read a message or folder after which an export skips the message or folder.
 */
const maxAttempts = 3
/**
 * Failed attempts after which an export skips a message or folder if the mail server reports a
 * temporary failure of it.
 */
const maxTemporaryAttempts = 10

const temporaryKinds: ReadonlySet<string> = new Set(['unavailable', 'unreachable', 'timeout'])

/**
 * Message or folder at which an export failed last, and the number of failed attempts to read it.
 */
export class FailedItem {
  #failed: { item: string; attempts: number; max: number } | undefined

  /**
   * Message or folder that the export skips if one more attempt to read it fails. Undefined if
   * none.
   */
  get onLastAttempt(): string | undefined {
    const { item, attempts = 0, max = 0 } = this.#failed ?? {}
    return attempts + 1 >= max ? item : undefined
  }

  /** Counts a failed attempt to read a message or folder. True if the export has to skip it. */
  count(item: string, cause: unknown): boolean {
    const attempts = this.#failed?.item === item ? this.#failed.attempts + 1 : 1
    const isTemporary = cause instanceof AppError && temporaryKinds.has(cause.kind)
    const max = isTemporary ? maxTemporaryAttempts : maxAttempts
    this.#failed = attempts >= max ? undefined : { item, attempts, max }
    return attempts >= max
  }
}
