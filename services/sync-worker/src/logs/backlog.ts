import type { LogLine } from '../store/logs.ts'

export interface BacklogLimits {
  /** Lines of one account that wait at most. */
  perAccount: number
  /** Characters of all lines that wait together. */
  characters: number
}

/**
 * Log lines that wait to be stored, within bounds: what finds no room is dropped, and a line says how many were. Lines of one account stay
 * in order; accounts do not take each other's room but for the sum.
 */
export class LogBacklog {
  readonly #limits: BacklogLimits
  readonly #waiting = new Map<string, { lines: string[]; dropped: number }>()
  #characters = 0

  constructor(limits: BacklogLimits) {
    this.#limits = limits
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  add(account: string, line: string): void {
    const waiting = this.#waiting.get(account) ?? { lines: [], dropped: 0 }
    this.#waiting.set(account, waiting)
    const { perAccount, characters } = this.#limits
    if (waiting.lines.length >= perAccount || this.#characters + line.length > characters) {
      waiting.dropped++
      return
    }
    this.#reportDropped(waiting)
    waiting.lines.push(line)
    this.#characters += line.length
  }

  /** The lines to store next. They count as waiting until they are `done`. */
  peek(max: number): LogLine[] {
    const batch: LogLine[] = []
    for (const [account, waiting] of this.#waiting) {
      this.#reportDropped(waiting)
      for (const line of waiting.lines.slice(0, max - batch.length)) batch.push({ account, line })
      if (batch.length === max) break
    }
    return batch
  }

  /** Forgets lines that `next` gave out. */
  remove(batch: readonly LogLine[]): void {
    const counts = new Map<string, number>()
    for (const { account, line } of batch) {
      counts.set(account, (counts.get(account) ?? 0) + 1)
      this.#characters -= line.length
    }
    for (const [account, count] of counts) {
      const waiting = this.#waiting.get(account)
      waiting?.lines.splice(0, count)
      if (waiting?.lines.length === 0 && waiting.dropped === 0) this.#waiting.delete(account)
    }
  }

  #reportDropped(waiting: { lines: string[]; dropped: number }): void {
    if (waiting.dropped === 0) return
    const line = `${waiting.dropped} lines were dropped: the log could not be stored as fast as it came`
    waiting.dropped = 0
    waiting.lines.push(line)
    this.#characters += line.length
  }
}
