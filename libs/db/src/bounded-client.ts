import type { PostgresPoolClient } from 'kysely'
import { UnavailableError } from '@posthorn/errors'
import type { PoolClient } from 'pg'
import type { OutageDetector } from './outage-detector.ts'
import { sqlState } from './sql-state.ts'
import type { StatementNames } from './statement-names.ts'
import { asUnavailable } from './unavailable.ts'

/** Maximum time for which Postgres waits for the next statement of an open transaction. */
export const idleInTransactionMs = 60_000

/** SQLSTATE of `cached plan must not change result type`; the SQL statement had no effect. */
const stalePlan = '0A000'

export interface BoundedClientOptions {
  names: StatementNames
  /** Maximum duration of an SQL statement. */
  timeoutMs: number
  /** True if the Postgres role has the same `statement_timeout`. */
  isBoundedByRole: boolean
  /** True if the connection accepts statements before the results of earlier statements. */
  isPipelined: boolean
  /** Detector of outages. Gets each result and each error of Postgres as a response. */
  outages: OutageDetector
}

/**
 * Adapts a Postgres connection to Kysely and bounds its statements in Postgres. Session settings
 * and startup parameters are not used, so the client works through pgbouncer in transaction mode:
 *
 * - A transaction sets its timeouts with `set local`, in the message that begins it.
 * - A statement outside of a transaction is bounded by the role's timeout, else it gets a
 *   transaction.
 *
 * Statements with parameters are named, so that each connection parses and plans them once. A
 * connection whose query got no response is discarded: the connection still waits for that
 * response, so the next query on it would get no response either.
 *
 * @throws UnavailableError if Postgres cannot serve the statement now
 */
export function boundedClient(
  client: PoolClient,
  { names, timeoutMs, isBoundedByRole, isPipelined, outages }: BoundedClientOptions,
): PostgresPoolClient {
  const setTimeouts = `set local statement_timeout = ${timeoutMs}; set local idle_in_transaction_session_timeout = ${idleInTransactionMs}`
  let isStuck = false
  let isInTransaction = false

  const send = async (text: string, values: unknown[] = []) => {
    if (isStuck) throw new UnavailableError('the connection waits for an earlier response')
    const name = values.length > 0 ? names.of(text) : undefined
    const query = name === undefined ? { text, values } : { text, values, name }
    try {
      const result = await outages.guard(() => client.query(query))
      outages.responded()
      return result
    } catch (error) {
      outages.rejected(error)
      if (error instanceof UnavailableError || isReadTimeout(error)) isStuck = true
      throw asUnavailable(error)
    }
  }
  const sendBounded = async (text: string, values: unknown[]) => {
    if (isInTransaction || isBoundedByRole) return await send(text, values)
    const begin = send(`begin; ${setTimeouts}`)
    // After a failed statement, the commit of its transaction rolls back.
    if (isPipelined) return await secondOf([begin, send(text, values), send('commit')])
    await begin
    try {
      const result = await send(text, values)
      await send('commit')
      return result
    } catch (error) {
      await send('rollback').catch(() => (isStuck = true))
      throw error
    }
  }
  const query = async (text: string, values: unknown[]) => {
    if (/^(begin|start transaction)\b/.test(text)) {
      await send(`${text}; ${setTimeouts}`)
      isInTransaction = true
      return { rows: [] }
    }
    if (text === 'commit' || text === 'rollback') {
      isInTransaction = false
      return await send(text)
    }
    try {
      return await sendBounded(text, values)
    } catch (error) {
      if (sqlState(error) !== stalePlan) throw error
      // The schema has changed since Postgres planned the statement. A transaction in progress is
      // lost.
      names.exclude(text)
      if (isInTransaction) throw error
      return await sendBounded(text, values)
    }
  }
  return {
    query: query as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy === true || isStuck),
  }
}

/** True for the error of a Postgres query without a response, which node-postgres gives no code. */
function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Result of the second of three promises, once all promises are settled. @throws the first error
 */
async function secondOf<T>(promises: [Promise<unknown>, Promise<T>, Promise<unknown>]): Promise<T> {
  await Promise.allSettled(promises)
  const [, result] = await Promise.all(promises)
  return result
}
