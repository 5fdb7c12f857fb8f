import { type ApiWatch, MailApiError } from '@posthorn/backends/mail-api'
import type { ModelStore } from './store.ts'

const dayMs = 86_400_000

/**
 * Watches (registrations for notifications) of a model mailbox. A mailbox with labels has at most
 * one watch, a mailbox with folders any number.
 */
export class ModelWatches {
  readonly #store: ModelStore
  readonly #watches = new Map<string, ApiWatch>()

  constructor(store: ModelStore) {
    this.#store = store
  }

  start(): ApiWatch {
    return this.#extend(this.#store.placement === 'labels' ? 'mailbox' : this.#newId())
  }

  renew(id: string): ApiWatch {
    const watch = this.#watches.get(id)
    if (!watch || watch.expiresAt <= this.#store.now)
      throw new MailApiError('watch-missing', 'The watch does not exist.')
    return this.#extend(id)
  }

  stop(id: string): void {
    this.#watches.delete(id)
  }

  /**
   * Removes all watches (registrations for notifications) of a model mailbox without notifying the
   * client.
   */
  removeAll(): void {
    this.#watches.clear()
  }

  list(): ApiWatch[] | undefined {
    if (this.#store.placement === 'labels') return undefined
    return [...this.#watches.values()].filter(({ expiresAt }) => expiresAt > this.#store.now)
  }

  #newId(): string {
    const hex = (length: number) => this.#store.random.text(length, '0123456789abcdef')
    return [8, 4, 4, 4, 12].map(hex).join('-')
  }

  #extend(id: string): ApiWatch {
    const days = this.#store.placement === 'labels' ? 7 : 3
    const watch = { id, expiresAt: new Date(this.#store.now.getTime() + days * dayMs) }
    this.#watches.set(id, watch)
    return watch
  }
}
