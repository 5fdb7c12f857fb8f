import { Client, type ClientConfig } from 'pg'
import { isResponse } from './unavailable.ts'

/**
 * Resolves when Postgres responds on a new connection, also with an error such as too many
 * connections. Rejects if Postgres does not respond within `timeoutMs`. The connection is closed.
 */
export async function probePostgres(config: ClientConfig, timeoutMs: number): Promise<void> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  // An error event of the Postgres client without a listener would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
  } catch (error) {
    if (!isResponse(error)) throw error
  } finally {
    // The end of the connection to Postgres is not awaited: an unresponsive server never closes its
    // side.
    client.end().catch(() => undefined)
  }
}
