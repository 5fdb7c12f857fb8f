import type { LogLine } from '../store/logs.ts'

export interface BacklogLimits {
  /** Maximum buffered protocol log lines of one account. */
  perAccount: number
  /** Maximum characters of all buffered protocol log lines. */
  totalCharacters: number
}

type BufferedLine = Omit<LogLine, 'account'>

interface AccountLines {
  lines: BufferedLine[]
  /**
   * Number of protocol log lines of the account that were dropped since a line was last buffered.
   */
  dropped: number
}

/**
 * Bounded buffer of protocol log lines. Drops a line beyond a limit; a later line reports the
 * number of dropped lines. Keeps the order of the lines of each account. The limit of characters
 * applies to all accounts together.
 */
export class LogBacklog {
  readonly #limits: BacklogLimits
  readonly #accounts = new Map<string, AccountLines>()
  #characters = 0

  constructor(limits: BacklogLimits) {
    this.#limits = limits
  }

  get isEmpty(): boolean {
    return this.#accounts.size === 0
  }

  add(account: string, line: string, afterLogin?: boolean): void {
    const buffered = this.#accounts.get(account) ?? { lines: [], dropped: 0 }
    this.#accounts.set(account, buffered)
    const { perAccount, totalCharacters } = this.#limits
    const isFull = buffered.lines.length >= perAccount
    if (isFull || this.#characters + line.length > totalCharacters) {
      buffered.dropped++
      return
    }
    this.#reportDropped(buffered)
    this.#append(buffered, { line, afterLogin })
  }

  /**
   * Returns the next buffered protocol log lines to store. The lines stay in the buffer until
   * `remove`.
   */
  peek(max: number): LogLine[] {
    const batch: LogLine[] = []
    for (const [account, buffered] of this.#accounts) {
      this.#reportDropped(buffered)
      for (const line of buffered.lines.slice(0, max - batch.length))
        batch.push({ account, ...line })
      if (batch.length === max) break
    }
    return batch
  }

  /** Removes the protocol log lines that `peek` returned from the buffer. */
  remove(batch: readonly LogLine[]): void {
    const counts = new Map<string, number>()
    for (const { account, line } of batch) {
      counts.set(account, (counts.get(account) ?? 0) + 1)
      this.#characters -= line.length
    }
    for (const [account, count] of counts) {
      const buffered = this.#accounts.get(account)
      buffered?.lines.splice(0, count)
      if (buffered?.lines.length === 0 && buffered.dropped === 0) this.#accounts.delete(account)
    }
  }

  #reportDropped(buffered: AccountLines): void {
    if (buffered.dropped === 0) return
    const line = `${buffered.dropped} lines were dropped because the database was slow`
    this.#append(buffered, { line })
    buffered.dropped = 0
  }

  #append(buffered: AccountLines, buffer: BufferedLine): void {
    buffered.lines.push(buffer)
    this.#characters += buffer.line.length
  }
}
