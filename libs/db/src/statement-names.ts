import { createHash } from 'node:crypto'

/**
 * Maximum named statements. Texts that vary with list lengths would grow Postgres memory forever.
 * pgbouncer stores as many per connection by default (`max_prepared_statements`).
 */
const maxNames = 200

/** Names of the prepared statements of a pool, by text. */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>()

  /** Name of a statement. Undefined if the statement is sent without a name. */
  of(text: string): string | undefined {
    if (this.#names.has(text) || this.#names.size >= maxNames) return this.#names.get(text)
    const name = createHash('sha256').update(text).digest('base64url')
    this.#names.set(text, name)
    return name
  }

  /**
   * Sends the statement without a name from now on. A stale plan would remain on the other
   * connections, and behind pgbouncer on all.
   */
  exclude(text: string): void {
    this.#names.set(text, undefined)
  }
}
