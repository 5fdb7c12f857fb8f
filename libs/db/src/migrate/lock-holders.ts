import { settleWithin, sleep } from '@posthorn/flow'
import { type Kysely, sql } from 'kysely'

/**
 * Session of Postgres that blocks another session. The text of its statement is not read, because
 * the text may contain customer data.
 */
export interface LockHolder {
  /** Process id of the Postgres session that holds the lock. 0 for a prepared transaction. */
  readonly pid: number
  readonly role: string | null
  readonly application: string | null
  /**
   * State of the Postgres session that holds the lock. Null if the current role is not allowed to
   * read the state.
   */
  readonly state: string | null
  /** Duration of the open transaction of the Postgres session that holds the lock. */
  readonly transactionSeconds: number | null
  /** Time since the Postgres session that holds the lock started its current or last statement. */
  readonly querySeconds: number | null
}

/** Returns the Postgres sessions for which the session with the process id `waitingPid` waits. */
export async function findLockHolders(
  db: Kysely<unknown>,
  waitingPid: number,
): Promise<LockHolder[]> {
  return await describeSessions(db, sql`select distinct unnest(pg_blocking_pids(${waitingPid}))`)
}

/** Returns the Postgres sessions of the database that hold an advisory lock. */
export async function findAdvisoryHolders(db: Kysely<unknown>, key: string): Promise<LockHolder[]> {
  return await describeSessions(
    db,
    sql`select pid from pg_locks where locktype = 'advisory' and granted and objsubid = 1
      and (classid::bigint << 32) | objid::bigint = ${sql.raw(key)}
      and database = (select oid from pg_database where datname = current_database())`,
  )
}

async function describeSessions(
  db: Kysely<unknown>,
  pids: ReturnType<typeof sql>,
): Promise<LockHolder[]> {
  const { rows } = await sql<LockHolder>`
    select waited.pid, a.usename as role, nullif(a.application_name, '') as application, a.state,
      extract(epoch from clock_timestamp() - a.xact_start)::integer as "transactionSeconds",
      extract(epoch from clock_timestamp() - a.query_start)::integer as "querySeconds"
    from (${pids}) as waited (pid) left join pg_stat_activity a on a.pid = waited.pid
    order by waited.pid`.execute(db)
  return rows
}

/** Describes the Postgres session that holds a lock, as text for the operator. */
export function describeHolder(holder: LockHolder): string {
  if (holder.pid === 0) return 'a prepared transaction (see pg_prepared_xacts)'
  const { pid, role, application, state, transactionSeconds, querySeconds } = holder
  return [
    `pid ${pid}`,
    `application ${application ?? 'unnamed'}`,
    `role ${role ?? 'none'}`,
    state === null ? 'state hidden from this role' : `state ${state}`,
    ...(transactionSeconds === null ? [] : [`transaction of ${transactionSeconds} s`]),
    ...(querySeconds === null ? [] : [`statement of ${querySeconds} s`]),
  ].join(', ')
}

export interface WatchOptions {
  /**
   * Connection pool with a free connection besides the connection that waits for a Postgres lock.
   */
  db: Kysely<unknown>
  /** Process id of the Postgres session whose waits for locks are observed. */
  pid: number
  /** Interval at which the Postgres sessions that block the migration are looked up. */
  everyMs: number
  /**
   * Called after each look-up that finds Postgres sessions for whose locks the observed session
   * waits.
   */
  onBlocked: (holders: readonly LockHolder[]) => void
}

/**
 * Runs the work of a Postgres session. Meanwhile, reports other sessions for whose locks the
 * session waits.
 */
export async function watchLocks<T>(
  work: () => Promise<T>,
  { db, pid, everyMs, onBlocked }: WatchOptions,
): Promise<T> {
  const ended = new AbortController()
  const watch = async () => {
    for (;;) {
      await sleep(everyMs, ended.signal)
      const holders = await findLockHolders(db, pid)
      if (holders.length > 0 && !ended.signal.aborted) onBlocked(holders)
    }
  }
  // Errors of looking up the sessions that hold locks are ignored. The report of these sessions
  // only helps the operator, and the migration can continue without a second connection.
  const watching = watch().catch(() => undefined)
  try {
    return await work()
  } finally {
    ended.abort()
    await settleWithin(watching, 1_000)
  }
}
