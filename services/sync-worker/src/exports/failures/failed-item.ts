import { AppError } from '@posthorn/errors'

/** Attempts to read a message or folder, after which it is skipped. */
const maxAttempts = 3
/** Attempts if the mail server reports a temporary failure of this message or folder. */
const maxTemporaryAttempts = 10

const temporaryKinds: ReadonlySet<string> = new Set(['unavailable', 'unreachable', 'timeout'])

/** Message or folder at which an export failed last, and the attempts at it. */
export class FailedItem {
  #failed: { item: string; attempts: number; max: number } | undefined

  /** Item whose next attempt is its last. Undefined if there is none. */
  get onLastAttempt(): string | undefined {
    const { item, attempts = 0, max = 0 } = this.#failed ?? {}
    return attempts + 1 >= max ? item : undefined
  }

  /** Counts a failed attempt at an item. True if the item has no attempts left. */
  count(item: string, cause: unknown): boolean {
    const attempts = this.#failed?.item === item ? this.#failed.attempts + 1 : 1
    const isTemporary = cause instanceof AppError && temporaryKinds.has(cause.kind)
    const max = isTemporary ? maxTemporaryAttempts : maxAttempts
    this.#failed = attempts >= max ? undefined : { item, attempts, max }
    return attempts >= max
  }
}
