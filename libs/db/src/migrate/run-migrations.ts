import { messageOf } from '@posthorn/errors'
import { backoff, type Clock, monotonicClock, sleep } from '@posthorn/flow'
import { type Kysely, sql } from 'kysely'
import { sqlState } from '../sql-state.ts'
import { applyIndexStatement, parseIndexMigration } from './index-migration.ts'
import { type LockHolder, watchLocks } from './lock-holders.ts'
import type { MigrationFile } from './migration-files.ts'
import { lockMigrations, unlockMigrations } from './migration-lock.ts'
import { describeHolders, type ReportProgress } from './progress.ts'

/**
 * SQLSTATEs after which a migration is attempted again: a lock was not available in time, or a
 * deadlock occurred.
 */
const temporaryStates = new Set(['55P03', '40P01'])

/**
 * Delay before a failed migration is attempted again. During the delay, statements that had to wait
 * behind the migration can run.
 */
const retryDelayMs = backoff({ baseMs: 1_000, maxMs: 15_000, jitter: 0.2 })

/** Error of a migration that could not get a lock within the maximum time. */
export class MigrationBlockedError extends Error {
  override readonly name = 'MigrationBlockedError'

  constructor(migration: string, holders: readonly LockHolder[], cause: unknown) {
    super(
      `${migration} got no lock in time, last held by ${describeHolders(holders)}. End that transaction or wait for its end, then run migrate again: it continues with this migration.`,
      { cause },
    )
  }
}

export interface RunOptions {
  /**
   * Maximum time that a statement of a migration waits for a lock if statements of services have to
   * wait behind the migration.
   */
  lockTimeoutMs: number
  /** Maximum time from the first failure of a migration to its last attempt. */
  maxWaitMs: number
  report: ReportProgress
  clock?: Clock
}

/** Number and times of failed attempts at the migration that is being applied. */
interface Attempts {
  failed: number
  firstFailureAt: number
  /** Postgres sessions that were last reported to hold the lock that a migration needs. */
  holders: readonly LockHolder[]
}

/**
 * Runs database migrations in one Postgres session, each together with its record in the table of
 * migrations. Then calls the function `finish`. The advisory lock of migrations is held meanwhile.
 * The lock is released while a failed migration waits for its next attempt.
 */
export class MigrationRun {
  readonly #db: Kysely<unknown>
  readonly #session: Kysely<unknown>
  readonly #options: RunOptions
  readonly #clock: Clock
  readonly #applied: string[] = []
  #current: MigrationFile | undefined
  #attempts: Attempts = { failed: 0, firstFailureAt: 0, holders: [] }

  /**
   * Creates a run of migrations. `session` is one connection of the pool `db`. The pool must have a
   * second connection.
   */
  constructor(db: Kysely<unknown>, session: Kysely<unknown>, options: RunOptions) {
    this.#db = db
    this.#session = session
    this.#options = options
    this.#clock = options.clock ?? monotonicClock
  }

  /**
   * Applies the migrations that are missing in the database and returns their names.
   *
   * @throws MigrationBlockedError if a lock is not available within `maxWaitMs`
   */
  async run(files: readonly MigrationFile[], finish: () => Promise<void>): Promise<string[]> {
    for (;;) {
      await lockMigrations(this.#session, {
        db: this.#db,
        onQueued: (holders) => this.#options.report({ kind: 'queued', holders }),
      })
      try {
        await this.#applyPending(files)
        await finish()
        return this.#applied
      } catch (error) {
        await this.#afterFailure(error)
      } finally {
        await unlockMigrations(this.#session).catch(() => undefined)
      }
      await this.#delay()
    }
  }

  async #applyPending(files: readonly MigrationFile[]): Promise<void> {
    const recorded = await readRecorded(this.#session)
    const pending = findPending(files, recorded)
    for (const [at, file] of pending.entries()) {
      if (this.#current?.name !== file.name) {
        this.#current = file
        this.#attempts = { failed: 0, firstFailureAt: 0, holders: [] }
        const position = { position: at + 1, count: pending.length }
        this.#options.report({ kind: 'started', migration: file.name, ...position })
      }
      const start = this.#clock()
      await this.#applyWatched(file)
      this.#applied.push(file.name)
      const durationMs = this.#clock() - start
      this.#options.report({ kind: 'applied', migration: file.name, durationMs })
    }
    this.#current = undefined
  }

  async #applyWatched(file: MigrationFile): Promise<void> {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
      this.#session,
    )
    await watchLocks(() => this.#apply(file), {
      db: this.#db,
      pid: rows[0]?.pid ?? 0,
      everyMs: Math.min(1_000, this.#options.lockTimeoutMs / 4),
      onBlocked: (holders) => this.#onBlocked(file, holders),
    })
  }

  #onBlocked({ name }: MigrationFile, holders: readonly LockHolder[]): void {
    const pids = (sessions: readonly LockHolder[]) => sessions.map(({ pid }) => pid).join()
    if (pids(holders) === pids(this.#attempts.holders)) return
    this.#attempts.holders = holders
    this.#options.report({ kind: 'blocked', migration: name, holders })
  }

  async #apply(file: MigrationFile): Promise<void> {
    const { lockTimeoutMs, maxWaitMs, report } = this.#options
    if (file.kind === 'index') {
      const onDropped = (index: string) =>
        report({ kind: 'index-dropped', migration: file.name, index })
      const statement = parseIndexMigration(file.text)
      await applyIndexStatement(this.#session, statement, { lockTimeoutMs, maxWaitMs, onDropped })
      return await record(this.#session, file)
    }
    if (file.kind === 'batches') {
      await this.#applyBatches(file)
      return await record(this.#session, file)
    }
    await this.#session.transaction().execute(async (tx) => {
      await setLockTimeout(tx, lockTimeoutMs)
      await sql.raw(file.text).execute(tx)
      await record(tx, file)
    })
  }

  async #applyBatches({ name, text }: MigrationFile): Promise<void> {
    await setLockTimeout(this.#session, this.#options.lockTimeoutMs)
    for (let rows = 0; ;) {
      const { numAffectedRows = 0n } = await sql.raw(text).execute(this.#session)
      if (numAffectedRows === 0n) return
      rows += Number(numAffectedRows)
      this.#options.report({ kind: 'batch', migration: name, rows })
    }
  }

  /**
   * Counts a failed attempt of a migration.
   * @throws the error of the attempt if no further attempt is made
   */
  async #afterFailure(error: unknown): Promise<void> {
    const migration = this.#current?.name
    if (migration === undefined || !temporaryStates.has(sqlState(error) ?? '')) throw error
    const now = this.#clock()
    const attempts = this.#attempts
    if (attempts.failed === 0) attempts.firstFailureAt = now
    attempts.failed += 1
    if (now - attempts.firstFailureAt >= this.#options.maxWaitMs)
      throw new MigrationBlockedError(migration, attempts.holders, error)
    const delayMs = retryDelayMs(attempts.failed)
    const reason = messageOf(error)
    this.#options.report({ kind: 'retry', migration, attempt: attempts.failed, delayMs, reason })
  }

  async #delay(): Promise<void> {
    await sleep(retryDelayMs(this.#attempts.failed))
  }
}

/**
 * Reads the names of the applied migrations. Creates the table of migrations if it is missing, with
 * the columns of kysely's Migrator, which earlier releases used.
 */
async function readRecorded(session: Kysely<unknown>): Promise<Set<string>> {
  await sql`create table if not exists kysely_migration (
    name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(session)
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(session)
  return new Set(rows.map(({ name }) => name))
}

async function record(session: Kysely<unknown>, { name }: MigrationFile): Promise<void> {
  const timestamp = new Date().toISOString()
  await sql`insert into kysely_migration (name, timestamp) values (${name}, ${timestamp})`.execute(
    session,
  )
}

/**
 * Returns the migrations that were not applied yet, regardless of their position. If a newer
 * release has migrated the schema, no migration is missing.
 *
 * @throws if the schema has migrations of another build and lacks migrations of this build
 */
function findPending(files: readonly MigrationFile[], recorded: ReadonlySet<string>) {
  const pending = files.filter(({ name }) => !recorded.has(name))
  const own = new Set(files.map(({ name }) => name))
  const foreign = [...recorded].filter((name) => !own.has(name)).toSorted()
  if (pending.length > 0 && foreign.length > 0)
    throw new Error(
      `the schema has migrations of another build (${foreign.join(', ')}) and lacks ${pending[0]?.name}: run migrate of the build that wrote them`,
    )
  return pending
}

async function setLockTimeout(session: Kysely<unknown>, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(ms)}, false)`.execute(session)
}
