import type { MailboxStatus } from '@posthorn/backends'

/** How often on end a mailbox may be refused before it is left alone. */
const maxRefusals = 3
const maxWaitMs = 6 * 3_600_000

/**
 * Mailboxes that are listed and cannot be opened. After some refusals one is left alone for a while, which doubles with every further one
 * up to six hours; until then it is tried only when the server says other counters of it.
 */
export class MailboxRefusals {
  readonly #minWaitMs: number
  readonly #refused = new Map<string, { count: number; at: number; counters: string }>()

  constructor(minWaitMs: number) {
    this.#minWaitMs = minWaitMs
  }

  /** Whether it is not worth a try now. */
  isSuspended(path: string, status: MailboxStatus | undefined, now: number): boolean {
    const recordRefusal = this.#refused.get(path)
    if (!recordRefusal || recordRefusal.count < maxRefusals) return false
    const waitMs = Math.min(maxWaitMs, this.#minWaitMs * 2 ** (recordRefusal.count - maxRefusals))
    return now < recordRefusal.at + waitMs && (!status || sign(status) === recordRefusal.counters)
  }

  refused(path: string, status: MailboxStatus | undefined, now: number): void {
    const count = (this.#refused.get(path)?.count ?? 0) + 1
    this.#refused.set(path, { count, at: now, counters: sign(status) })
  }

  clear(path: string): void {
    this.#refused.delete(path)
  }
}

function sign(status: MailboxStatus | undefined): string {
  if (!status) return ''
  const { messages, uidNext, uidValidity, highestModseq } = status
  return [messages, uidNext, uidValidity, highestModseq].join(' ')
}
