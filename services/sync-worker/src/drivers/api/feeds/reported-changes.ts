import type { ChangesPage } from '@posthorn/backends/mail-api'

/** Period after a feed's report of a message in which notifications of the message may follow. */
const keepMs = 10_000
/**
 * Maximum message ids in memory. If feeds (lists of changes) report more messages, the remaining
 * messages count as not reported and are read again after a notification.
 */
const maxIds = 1_000

/** Messages that the feeds (lists of changes) of an account reported in the last seconds. */
export class ReportedChanges {
  /** Number of pages with changes that the feeds (lists of changes) returned so far. */
  pages = 0
  readonly #times = new Map<string, number>()
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  add({ changed, removed }: Pick<ChangesPage, 'changed' | 'removed'>): void {
    const time = this.#now().getTime()
    this.pages += 1
    this.#evict(time)
    for (const id of [...changed.map((change) => change.id), ...removed]) {
      if (this.#times.size >= maxIds) return
      this.#times.set(id, time)
    }
  }

  has(id: string): boolean {
    const time = this.#times.get(id)
    return time !== undefined && this.#now().getTime() - time < keepMs
  }

  #evict(time: number): void {
    for (const [id, at] of this.#times) if (time - at >= keepMs) this.#times.delete(id)
  }
}
