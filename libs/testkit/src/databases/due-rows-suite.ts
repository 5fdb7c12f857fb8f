import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Db, DueRow, DueRows, Tables } from '@posthorn/db'
import { type RawBuilder, sql } from 'kysely'

/** Queue table of a service, with everything that the test suite needs to know about the table. */
export interface DueRowsSubject<Table extends keyof Tables> {
  rows: DueRows<Table, DueRow>
  /** Database connection with the role of the service whose queue table is tested. */
  db: Db
  /** Database connection as the owner of the database. */
  owner: Db
  /** SQL condition of the rows that the service claims from its queue table. */
  where: RawBuilder<boolean>
  /**
   * Inserts a row into the queue table that is due now and meets the condition `where`. Returns the
   * key of the row.
   */
  insert: () => Promise<string>
}

/**
 * Tests of the requirements that each queue of due rows must meet. Called at the top of a test
 * file.
 */
export function dueRowsSuite<Table extends keyof Tables>(subject: DueRowsSubject<Table>): void {
  const queue = new TestedQueue(subject)
  describe(`DueRows of ${subject.rows.table.table}`, () => {
    beforeEach(() => queue.clear())
    claimCases(queue)
    resultCases(queue)
  })
}

const leaseMs = 3_600_000
const keysOf = (claimed: readonly DueRow[]) => claimed.map((row) => row.key)

/** Queue table under test. Its clock moves the times of the stored rows back. */
class TestedQueue<Table extends keyof Tables> {
  readonly subject: DueRowsSubject<Table>
  /** Number of attempts that are counted when a row of the queue table is claimed: 1 or 0. */
  readonly countedByClaim: number

  constructor(subject: DueRowsSubject<Table>) {
    this.subject = subject
    this.countedByClaim = subject.rows.table.counted === 'claim' ? 1 : 0
  }

  async clear(): Promise<void> {
    await sql`delete from ${this.#ref('table')}`.execute(this.subject.owner)
  }

  claim(limit = 100): Promise<DueRow[]> {
    const { rows, db, where } = this.subject
    return rows.claim(db, { limit, leaseMs, where })
  }

  /** Claims the only due row of the queue table. */
  async claimOne(): Promise<DueRow> {
    const [row, ...others] = await this.claim()
    expect(others).toEqual([])
    return row as DueRow
  }

  async pass(seconds: number, keys?: readonly string[]): Promise<void> {
    const back = (column: 'dueAt' | 'since') =>
      sql`${this.#ref(column)} = ${this.#ref(column)} - make_interval(secs => ${seconds})`
    await sql`update ${this.#ref('table')} set ${back('dueAt')}, ${back('since')}
      where ${sql.lit(keys === undefined)}
        or ${this.#ref('key')}::text = any(${keys ?? []}::text[])`.execute(this.subject.owner)
  }

  /**
   * Stored state of a row of the queue table, with the minutes until the row is due. Undefined if
   * the row was deleted.
   */
  async read(id: string) {
    const { leaseUntil } = this.subject.rows.table
    const lease = leaseUntil === undefined ? sql`null` : sql.ref(leaseUntil)
    const { rows } = await sql<{ minutes: number | null; leased: boolean; count: number }>`
      select ceil(extract(epoch from ${this.#ref('dueAt')} - now()) / 60)::float8 as minutes,
        coalesce(${lease} > now(), false) as leased, ${this.#ref('counter')} as count
      from ${this.#ref('table')} where ${this.#ref('key')}::text = ${id}`.execute(
      this.subject.owner,
    )
    return rows[0]
  }

  /** Runs `work` while another transaction has locked a row of the queue table. */
  async whileLocked(id: string, work: () => Promise<void>): Promise<void> {
    await this.subject.owner.transaction().execute(async (tx) => {
      await sql`select from ${this.#ref('table')}
        where ${this.#ref('key')}::text = ${id} for update`.execute(tx)
      await work()
    })
  }

  #ref(name: 'table' | 'key' | 'dueAt' | 'since' | 'counter') {
    return sql.ref(this.subject.rows.table[name])
  }
}

function claimCases<Table extends keyof Tables>(queue: TestedQueue<Table>): void {
  const { rows, db, insert } = queue.subject
  const { countedByClaim } = queue

  test('replicas that claim at the same time: each due row is claimed once', async () => {
    const inserted = await Promise.all(Array.from({ length: 20 }, insert))
    const claimed = await Promise.all(Array.from({ length: 4 }, () => queue.claim(20)))
    expect(claimed.flatMap(keysOf).sort()).toEqual(inserted.sort())
  })

  test('more due rows than the limit: those longest due are claimed', async () => {
    const inserted: string[] = []
    for (let count = 0; count < 3; count++) inserted.push(await insert())
    const [first = '', second = '', third = ''] = inserted
    await queue.pass(20, [third])
    await queue.pass(10, [first])
    expect(keysOf(await queue.claim(2)).sort()).toEqual([first, third].sort())
    expect(keysOf(await queue.claim(2))).toEqual([second])
  })

  test('a claim: expires with its lease, then another process claims the row', async () => {
    const key = await insert()
    expect(await queue.claimOne()).toMatchObject({ key, count: countedByClaim })
    const leased = rows.table.leaseUntil !== undefined
    expect(await queue.read(key)).toEqual({ minutes: 60, leased, count: countedByClaim })
    await queue.pass(2_400)
    expect(await queue.claim()).toEqual([])
    await queue.pass(1_200)
    expect(await queue.claimOne()).toMatchObject({ key, count: 2 * countedByClaim })
  })

  test('rows that another transaction has locked, or outside of the condition: are skipped', async () => {
    const [locked, free] = [await insert(), await insert()]
    await queue.whileLocked(locked, async () => {
      const none = { limit: 100, leaseMs, where: sql<boolean>`false` }
      expect(await rows.claim(db, none)).toEqual([])
      expect(keysOf(await queue.claim())).toEqual([free])
    })
    expect(keysOf(await queue.claim())).toEqual([locked])
  })

  test('a claimed row: has its account and age', async () => {
    await insert()
    await queue.pass(3_600)
    const { account, ageMs } = await queue.claimOne()
    expect(account).toEqual(expect.stringMatching(/./))
    expect(Math.floor(ageMs / 60_000)).toBe(60)
  })
}

function resultCases<Table extends keyof Tables>(queue: TestedQueue<Table>): void {
  const { rows, db, insert } = queue.subject
  const { countedByClaim } = queue
  const inAnHour = { delayMs: 3_600_000, counted: true }

  test.each([true, false])('postpone, counted %s: the row is due after the delay', async (is) => {
    const key = await insert()
    await rows.postpone(db, await queue.claimOne(), { ...inAnHour, counted: is })
    expect(await queue.read(key)).toEqual({ minutes: 60, leased: false, count: Number(is) })
    expect(await queue.claim()).toEqual([])
    await queue.pass(3_600)
    expect(await queue.claimOne()).toMatchObject({ count: Number(is) + countedByClaim })
  })

  test('end: no work is left, and a later result changes nothing', async () => {
    const key = await insert()
    const row = await queue.claimOne()
    await rows.end(db, row)
    const left = await queue.read(key)
    expect(left?.minutes ?? null).toBeNull()
    expect(left === undefined).toBe(rows.table.ended === undefined)
    await rows.postpone(db, row, { delayMs: 0, counted: true })
    expect(await queue.read(key)).toEqual(left)
    expect(await queue.claim()).toEqual([])
  })

  test('result of a claim after a counted attempt of another process: changes nothing', async () => {
    const key = await insert()
    const late = await queue.claimOne()
    await queue.pass(3_600)
    await rows.postpone(db, await queue.claimOne(), inAnHour)
    const stored = { minutes: 60, leased: false, count: 1 + countedByClaim }
    await rows.end(db, late)
    expect(await queue.read(key)).toEqual(stored)
    await rows.postpone(db, late, { delayMs: 0, counted: true })
    expect(await queue.read(key)).toEqual(stored)
  })
}
