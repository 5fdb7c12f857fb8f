import { type RawBuilder, sql } from 'kysely'
import type { Db } from './connect.ts'
import type { Tables } from './tables/index.ts'

type Column<Table extends keyof Tables> = keyof Tables[Table] & string

/** Postgres table whose rows have work that becomes due, and the columns of this work. */
export interface DueTable<Table extends keyof Tables> {
  table: Table
  /** Column that identifies a row of the table. */
  key: Column<Table>
  /**
   * Column with the time from which on the row may be claimed. Null if the row has no work left.
   */
  dueAt: Column<Table>
  /**
   * Optional column with the end of the claim on a row, for readers other than the queue. Null
   * between claims.
   */
  leaseUntil?: Column<Table>
  /** Column with the time from which on the age of the work counts. */
  since: Column<Table>
  /** Column with the number of attempts at the work of a row. */
  counter: Column<Table>
  /**
   * Moment at which an attempt at the work of a row is counted. `claim`: before the attempt, so
   * that an attempt counts in which the process dies, and a claim fences earlier claims.
   * `postpone`: only with a result.
   */
  counted: 'claim' | 'postpone'
  /** Further columns that are read for a claimed row. */
  columns: RawBuilder<unknown>
  /**
   * Optional; assignments to the columns of a row whose work ends. Defaults to deleting the row.
   */
  ended?: RawBuilder<unknown>
}

/** Claimed row of a table with due work, for one account. */
export interface DueRow {
  key: string
  account: string
  /** Value of the attempt counter of the row. Only a row with this value is postponed or ended. */
  count: number
  /** Age of the due work of the row. */
  ageMs: number
}

export interface ClaimDueOptions {
  limit: number
  /** Time after which other processes may claim the rows. */
  leaseMs: number
  /** Condition for the rows of the table that are claimed. */
  where: RawBuilder<boolean>
}

export interface PostponeOptions {
  delayMs: number
  /** False if no attempt at the work was made: the attempt is not counted. */
  counted: boolean
  /** Optional; texts to store in further columns of the postponed row. */
  set?: Record<string, string | null>
}

/**
 * Queue of the due rows of a Postgres table. Replicas share the table: each due row is claimed by
 * one of the replicas. A claim expires, so that the rows of a process that died become due again.
 *
 * Each operation is one statement. The work must be idempotent, because a claim may expire while
 * the work is in progress.
 */
export class DueRows<Table extends keyof Tables, Row extends DueRow> {
  readonly table: DueTable<Table>

  constructor(table: DueTable<Table>) {
    this.table = table
  }

  /** Claims due rows, longest due first. Skips rows that another transaction has locked. */
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

  /** Ends the claim of a due row and schedules the next attempt. */
  async postpone(db: Db, row: DueRow, { delayMs, counted, set }: PostponeOptions): Promise<void> {
    const claimed = this.table.counted === 'claim'
    const attempts = row.count + Number(counted) - Number(claimed)
    await sql`
      update ${this.#ref('table')} set ${assignments(set)} ${this.#leaseUntil(sql`null`)}
        ${this.#ref('dueAt')} = ${inMs(delayMs)}, ${this.#ref('counter')} = ${attempts}
      where ${this.#isClaimed(row)}`.execute(db)
  }

  /** Ends the work of a due row. `set` are texts to store in a row that is not deleted. */
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

/** Time of the Postgres clock after a number of milliseconds. */
export function inMs(ms: number): RawBuilder<Date> {
  return sql<Date>`now() + make_interval(secs => ${ms / 1_000})`
}
