import type { MailboxStatus } from '@posthorn/backends'

/** How often a mailbox may be refused before it is left alone. */
const maxRefusals = 3
/** How long it is left alone then, unless its counters change. */
const probeMs = 6 * 3_600_000

/**
 * Mailboxes that are listed and cannot be opened. After some refusals one is asked for only every few hours, or when the server says
 * other counters of it.
 */
export class Parked {
  readonly #refused = new Map<string, { count: number; at: number; counters: string }>()

  /** Whether it is not worth a try now. */
  skips(path: string, status: MailboxStatus | undefined, now: number): boolean {
    const refused = this.#refused.get(path)
    if (!refused || refused.count < maxRefusals || now >= refused.at + probeMs) return false
    return status === undefined || sign(status) === refused.counters
  }

  refused(path: string, status: MailboxStatus | undefined, now: number): void {
    const count = (this.#refused.get(path)?.count ?? 0) + 1
    this.#refused.set(path, { count, at: now, counters: sign(status) })
  }

  opened(path: string): void {
    this.#refused.delete(path)
  }
}

function sign(status: MailboxStatus | undefined): string {
  if (!status) return ''
  const { messages, uidNext, uidValidity, highestModseq } = status
  return [messages, uidNext, uidValidity, highestModseq].join(' ')
}
