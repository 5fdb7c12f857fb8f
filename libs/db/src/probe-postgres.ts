import { Client, type ClientConfig } from 'pg'
import { isResponse } from './unavailable.ts'

/**
 * Opens a new connection to Postgres and closes it. Resolves if Postgres responds, even with an
 * error such as too many connections. Rejects if Postgres does not respond within `timeoutMs`.
 */
export async function probePostgres(config: ClientConfig, timeoutMs: number): Promise<void> {
  const client = new Client({
    ...config,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  // A listener ignores error events of the Postgres client, because an error event without a
  // listener ends the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
  } catch (error) {
    if (!isResponse(error)) throw error
  } finally {
    // The end of the connection to Postgres is not awaited, because an unresponsive server never
    // closes the connection.
    client.end().catch(() => undefined)
  }
}
