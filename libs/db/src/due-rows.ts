import { type RawBuilder, sql } from 'kysely'
import type { Db } from './connect.ts'
import type { Tables } from './tables/index.ts'

type Column<Table extends keyof Tables> = keyof Tables[Table] & string

/**
 * Postgres table whose rows stand for work that becomes due, with the names of the columns that
 * describe the work.
 */
export interface DueTable<Table extends keyof Tables> {
  table: Table
  /** Name of the table column that identifies a row of due work, such as a filing. */
  key: Column<Table>
  /**
   * Name of the column with the time from which a row of due work may be claimed. The column is
   * null if the row has no more work.
   */
  dueAt: Column<Table>
  /**
   * Name of the column with the end of the claim on a row of due work, for other readers of the
   * table. The column is null between claims. Optional.
   */
  leaseUntil?: Column<Table>
  /** Name of the column with the time from which the age of due work is counted. */
  since: Column<Table>
  /** Name of the column with the number of attempts at the due work of a row. */
  counter: Column<Table>
  /**
   * Time at which an attempt at the due work of a row is counted. `claim`: before the attempt, so
   * that attempts in which the process dies are counted, and writes with an earlier claim are
   * rejected. `postpone`: after the attempt, when its result is stored.
   */
  counted: 'claim' | 'postpone'
  /** Additional table columns that are read for a claimed row of due work. */
  columns: RawBuilder<unknown>
  /** SQL assignments for a row whose due work has ended. By default, such a row is deleted. */
  ended?: RawBuilder<unknown>
}

/** Row that was claimed from a table with due work. Each row belongs to one account. */
export interface DueRow {
  key: string
  account: string
  /**
   * Number of attempts when a row of due work was claimed. The row is only postponed or ended while
   * it still has this number.
   */
  count: number
  /** Age of the due work for which the row was claimed. */
  ageMs: number
}

export interface ClaimDueOptions {
  limit: number
  /** Duration of the claim on rows of due work. Afterwards, other processes may claim the rows. */
  leaseMs: number
  /** SQL condition on rows of due work. Only rows that meet the condition are claimed. */
  where: RawBuilder<boolean>
}

export interface PostponeOptions {
  delayMs: number
  /** False if the due work of a row was not attempted. In this case no attempt is counted. */
  counted: boolean
  /** Texts to store in further table columns of the postponed row, by column name. Optional. */
  set?: Record<string, string | null>
}

/**
 * Queue whose items are the due rows of a Postgres table. Replicas share the table: each due row is
 * claimed by one replica at a time. A claim expires, so that the rows of a process that died become
 * due again.
 *
 * Each operation is one statement. The work must be idempotent, because a claim may expire while
 * the work is in progress.
 */
export class DueRows<Table extends keyof Tables, Row extends DueRow> {
  readonly table: DueTable<Table>

  constructor(table: DueTable<Table>) {
    this.table = table
  }

  /**
   * Claims rows whose work is due, starting with the row whose work has been due longest. Skips
   * rows that another transaction has locked.
   */
  async claim(db: Db, { limit, leaseMs, where }: ClaimDueOptions): Promise<Row[]> {
    const [table, key, dueAt] = [this.#ref('table'), this.#ref('key'), this.#ref('dueAt')]
    const [counter, lease] = [this.#ref('counter'), inMs(leaseMs)]
    const attempts = this.table.counted === 'claim' ? 1 : 0
    const { rows } = await sql<Row>`
      with due as materialized (
        select ${key} as due_key from ${table} where ${dueAt} <= now() and ${where}
        order by ${dueAt} limit ${limit} for update skip locked
      )
      update ${table} set ${this.#leaseUntil(lease)} ${dueAt} = ${lease},
        ${counter} = ${counter} + ${sql.lit(attempts)}
      from due where ${key} = due_key
      returning ${key} as "key", account, ${counter} as "count",
        (extract(epoch from now() - ${this.#ref('since')}) * 1000)::double precision as "ageMs",
        ${this.table.columns}`.execute(db)
    return rows
  }

  /** Ends the claim on a row of due work and schedules the next attempt at the work. */
  async postpone(db: Db, row: DueRow, { delayMs, counted, set }: PostponeOptions): Promise<void> {
    const claimed = this.table.counted === 'claim'
    const attempts = row.count + Number(counted) - Number(claimed)
    await sql`
      update ${this.#ref('table')} set ${assignments(set)} ${this.#leaseUntil(sql`null`)}
        ${this.#ref('dueAt')} = ${inMs(delayMs)}, ${this.#ref('counter')} = ${attempts}
      where ${this.#isClaimed(row)}`.execute(db)
  }

  /**
   * Ends the due work of a row. If the row is not deleted, `set` contains texts to store in the
   * row.
   */
  async end(db: Db, row: DueRow, set?: PostponeOptions['set']): Promise<void> {
    const { ended } = this.table
    const table = this.#ref('table')
    const statement = ended
      ? sql`update ${table} set ${assignments(set)} ${ended}`
      : sql`delete from ${table}`
    await sql`${statement} where ${this.#isClaimed(row)}`.execute(db)
  }

  #ref(name: 'table' | 'key' | 'dueAt' | 'since' | 'counter') {
    return sql.ref(this.table[name])
  }

  #leaseUntil(time: RawBuilder<unknown>) {
    const { leaseUntil } = this.table
    return leaseUntil === undefined ? sql`` : sql`${sql.ref(leaseUntil)} = ${time},`
  }

  #isClaimed({ key, count }: DueRow) {
    return sql`${this.#ref('key')} = ${key} and ${this.#ref('counter')} = ${count}
      and ${this.#ref('dueAt')} is not null`
  }
}

function assignments(set: PostponeOptions['set'] = {}) {
  return sql.join(
    Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value},`),
    sql` `,
  )
}

/** SQL expression for the time of the Postgres clock plus a number of milliseconds. */
export function inMs(ms: number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${ms / 1_000})`
}
