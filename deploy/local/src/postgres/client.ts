import { Client } from 'pg'

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

export { escapeIdentifier } from 'pg'
