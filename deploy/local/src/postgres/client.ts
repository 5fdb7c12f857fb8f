import { Client } from 'pg'

/** Opens one connection for some work. Every wait is bounded: 10 s to connect, a minute for a statement. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
  })
  client.on('error', () => undefined) // told again by the next query
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

export { escapeIdentifier } from 'pg'
