import { createHash } from 'node:crypto'

/**
 * Maximum number of SQL statements with a name. The number is limited, because statements whose
 * text depends on the length of a list would increase the memory of Postgres forever. 200 is also
 * the default of pgbouncer per connection (`max_prepared_statements`).
 */
const maxNames = 200

/** Names of the prepared statements of a connection pool, by SQL text. */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>()

  /**
   * Returns the name of an SQL statement. Undefined if the statement is to be sent without a name.
   */
  of(text: string): string | undefined {
    if (this.#names.has(text) || this.#names.size >= maxNames) return this.#names.get(text)
    const name = createHash('sha256').update(text).digest('base64url')
    this.#names.set(text, name)
    return name
  }

  /**
   * Removes the name of an SQL statement, so that the statement is sent without a name from now on.
   * With its name, other connections would continue to use a stale plan, behind pgbouncer even all
   * connections.
   */
  exclude(text: string): void {
    this.#names.set(text, undefined)
  }
}
