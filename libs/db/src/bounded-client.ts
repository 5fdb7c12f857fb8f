import type { PostgresPoolClient } from 'kysely'
import { UnavailableError } from '@posthorn/errors'
import type { PoolClient } from 'pg'
import type { OutageDetector } from './outage-detector.ts'
import { sqlState } from './sql-state.ts'
import type { StatementNames } from './statement-names.ts'
import { asUnavailable } from './unavailable.ts'

/**
 * Maximum time that an open transaction may wait for its next statement. Postgres enforces the
 * maximum.
 */
export const idleInTransactionMs = 60_000

/**
 * SQLSTATE of the error `cached plan must not change result type`. An SQL statement with this error
 * had no effect.
 */
const stalePlan = '0A000'

export interface BoundedClientOptions {
  names: StatementNames
  /** Maximum duration of an SQL statement in milliseconds. */
  timeoutMs: number
  /** True if the connection's Postgres role has `timeoutMs` as its `statement_timeout`. */
  isBoundedByRole: boolean
  /**
   * True if the Postgres connection accepts a statement before it has returned the results of
   * earlier statements.
   */
  isPipelined: boolean
  /**
   * Detector of Postgres outages. Each result and each error of Postgres is reported to the
   * detector as a response.
   */
  outages: OutageDetector
}

/**
 * Adapts a Postgres connection to Kysely and makes Postgres limit the duration of statements.
 * Session settings and startup parameters are not used, so that the client works through pgbouncer
 * in transaction mode:
 *
 * - A transaction sets its timeouts with `set local`, in the message that begins the transaction.
 * - A statement outside of a transaction is limited by the timeout of the Postgres role. If the
 *   role has no such timeout, the statement gets a transaction of its own.
 *
 * Statements with parameters are named, so that each connection parses and plans them only once. A
 * connection whose query got no response is discarded: it still waits for that response, so that
 * its next query would get no response either.
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
    // The SQL commands `begin`, the statement and `commit` are sent without waiting for results. If
    // the statement fails, `commit` rolls the transaction back.
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
      // The error `cached plan must not change result type` means that the schema has changed since
      // Postgres planned the statement. The statement is sent again without a name. Inside a
      // transaction this is not possible, because the error has ended the transaction.
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

/**
 * True if an error means that Postgres did not respond to a query in time. node-postgres sets no
 * error code in this case.
 */
function isReadTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout'
}

/**
 * Waits until three promises, such as `begin`, a statement and `commit`, are settled. Returns the
 * result of the second promise.
 * @throws the first error
 */
async function secondOf<T>(promises: [Promise<unknown>, Promise<T>, Promise<unknown>]): Promise<T> {
  await Promise.allSettled(promises)
  const [, result] = await Promise.all(promises)
  return result
}
