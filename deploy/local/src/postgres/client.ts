import { Client, Pool } from 'pg'

/**
 * Connects to Postgres, runs the function `work` and disconnects. Timeouts: 60 s to connect and 60
 * s per statement.
 */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 60_000,
    query_timeout: 60_000,
  })
  client.on('error', () => undefined) // The next query reports the connection's error again.
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/**
 * Open connections to Postgres for repeated statements, such as polls. A new connection takes about
 * 20 ms of CPU time, a short statement on an open connection less than 1 ms.
 */
export class OpenConnections implements AsyncDisposable {
  readonly #pool: Pool

  constructor(url: string) {
    this.#pool = new Pool({
      connectionString: url,
      max: 4,
      connectionTimeoutMillis: 60_000,
      query_timeout: 60_000,
    })
    // A connection that ends while it is idle is replaced.
    this.#pool.on('error', () => undefined)
  }

  /** Runs a statement and returns its rows. */
  async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>(text, values)).rows
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.end()
  }
}

export { escapeIdentifier } from 'pg'
