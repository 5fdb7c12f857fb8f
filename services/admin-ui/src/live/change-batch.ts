import type { LiveChange } from '@posthorn/contracts/admin/live'
import { defined } from '@posthorn/contracts/defined'
import type { StateChange } from '@posthorn/contracts/schemas/changes'

/**
 * Time in milliseconds for which changes of accounts are collected before they are sent to the
 * browser tabs.
 */
const collectMs = 200
/**
 * Maximum number of account changes in a frame of live updates. Above this number, the browser tabs
 * load their lists again.
 */
const maxChanges = 200

/**
 * Collects changes of accounts for a short time before they are sent to browser tabs. A change of
 * many accounts, such as a restart of a worker, therefore becomes few frames. Only the last change
 * of each kind of an account is sent.
 */
export class ChangeBatch implements Disposable {
  readonly #flush: (changes: LiveChange[] | 'many') => void
  readonly #changes = new Map<string, LiveChange>()
  #timer: NodeJS.Timeout | undefined

  /**
   * Creates the collector of account changes. `flush` gets the changes, or `many` above
   * `maxChanges` changes.
   */
  constructor(flush: (changes: LiveChange[] | 'many') => void) {
    this.#flush = flush
  }

  /** Adds a change of an account. Texts of errors and addresses of mailboxes are left out. */
  add({ account, type, key }: StateChange): void {
    const state = typeof key === 'string' && type !== 'address' ? key : undefined
    this.#changes.set(JSON.stringify([account, type]), { account, type, ...defined({ state }) })
    this.#timer ??= setTimeout(() => this.#send(), collectMs)
  }

  #send(): void {
    this.#timer = undefined
    const changes = [...this.#changes.values()]
    this.#changes.clear()
    this.#flush(changes.length > maxChanges ? 'many' : changes)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#changes.clear()
  }
}
