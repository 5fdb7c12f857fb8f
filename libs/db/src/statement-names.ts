import { createHash } from 'node:crypto'

/**
 * Maximum named SQL statements. Texts that vary with list lengths would grow the memory of Postgres
 * forever. pgbouncer stores the same number per connection by default (`max_prepared_statements`).
 */
const maxNames = 200

/** Names of the prepared statements of a connection pool, by SQL text. */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>()

  /** Name of an SQL statement. Undefined if the statement is sent without a name. */
  of(text: string): string | undefined {
    if (this.#names.has(text) || this.#names.size >= maxNames) return this.#names.get(text)
    const name = createHash('sha256').update(text).digest('base64url')
    this.#names.set(text, name)
    return name
  }

  /**
   * Ends the use of a name for an SQL statement: from now on the statement is sent without a name.
   * A stale plan would remain on the other connections, and behind pgbouncer on all connections.
   */
  exclude(text: string): void {
    this.#names.set(text, undefined)
  }
}
