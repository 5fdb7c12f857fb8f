import type { Db } from '@posthorn/db'
import { isBound, type Resealer } from '@posthorn/secrets'
import { inPlaceColumns, type SealedColumn, sealedTables } from '../store/sealed-columns.ts'
import { listSealed, replaceSealed, type SealedRow } from '../store/sealed-values.ts'
import { bindingOf } from './bindings.ts'
import { resealStrategyOf } from './strategies.ts'

/**
 * Number of sealed (encrypted) values per key id. Additional keys: `unreadable` counts invalid
 * values, `clear` values that an earlier release stored without sealing, and `unbound` values that
 * an earlier release sealed without a binding (limit of the use).
 */
type KeyCounts = Record<string, number>

/** Number of sealed (encrypted) values per key id in one table. */
export interface TableKeys {
  /**
   * Name of a table with sealed (encrypted) values. For addresses and headers, the name includes
   * the column: `accounts.proxy`.
   */
  table: string
  keys: KeyCounts
}

export interface ResealOptions {
  db: Db
  resealer: Resealer
  /** Called with a line for the log after every batch of resealed (newly encrypted) values. */
  progress?: (line: string) => void
  batchSize?: number
}

const columns = [...sealedTables, ...inPlaceColumns]
const defaultBatchSize = 500
/**
 * Maximum passes over all sealed (encrypted) values. Limits the run if a replica keeps sealing
 * values with an old key.
 */
const maxPasses = 5

/** Counts the sealed (encrypted) values per table and key, without changing anything. */
export async function countKeys({
  db,
  batchSize = defaultBatchSize,
}: Pick<ResealOptions, 'db' | 'batchSize'>): Promise<TableKeys[]> {
  const tables = new Map<string, KeyCounts>()
  for (const column of columns) {
    const keys = tables.get(titleOf(column)) ?? {}
    tables.set(titleOf(column), keys)
    for await (const rows of batches(db, column, batchSize)) {
      const ids = rows.flatMap((row) => keyIdsOf(column, row))
      for (const id of ids) keys[id] = (keys[id] ?? 0) + 1
    }
  }
  return Array.from(tables, ([table, keys]) => ({ table, keys }))
}

export interface ResealResult {
  /**
   * Number of sealed (encrypted) values that were resealed with the newest key. A list of headers
   * counts as one value.
   */
  resealed: number
  /** Number of sealed (encrypted) values that no key unseals. These values stay unchanged. */
  unreadable: number
}

/**
 * Reseals (encrypts again) all stored values that are not sealed with the newest key, or that have
 * no binding (limit of the use) although their use is known. Replicas may run meanwhile: a value
 * that changed after it was read is not overwritten and is checked again. The run may be
 * interrupted and repeated.
 */
export async function resealAll(options: ResealOptions): Promise<ResealResult> {
  let resealed = 0
  for (let attempt = 1; ; attempt += 1) {
    const totals = { resealed: 0, unreadable: 0, conflicts: 0 }
    for (const column of columns) await resealColumn(column, options, totals)
    resealed += totals.resealed
    const { unreadable, conflicts } = totals
    if (conflicts === 0 || attempt === maxPasses) return { resealed, unreadable }
  }
}

interface PassTotals extends ResealResult {
  /** Number of sealed (encrypted) values that changed between reading and resealing. */
  conflicts: number
}

async function resealColumn(
  column: SealedColumn,
  { db, resealer, progress, batchSize = defaultBatchSize }: ResealOptions,
  totals: PassTotals,
): Promise<void> {
  for await (const rows of batches(db, column, batchSize)) {
    const strategy = resealStrategyOf(column)
    const old = rows.filter((row) => keyIdsOf(column, row).some((id) => id !== resealer.newest))
    const results = await Promise.all(
      old.map(async (row) => ({ ...row, ...(await strategy.reseal(row, resealer)) })),
    )
    const changed = results.filter(({ sealed, stored }) => stored !== sealed)
    const replaced = await replaceSealed(db, column, changed)
    totals.resealed += replaced
    totals.conflicts += changed.length - replaced
    totals.unreadable += results.reduce((sum, { unreadable }) => sum + unreadable, 0)
    if (old.length > 0) progress?.(`${titleOf(column)}: ${replaced} of ${old.length} resealed`)
  }
}

function keyIdsOf(column: SealedColumn, row: SealedRow): string[] {
  const ids = resealStrategyOf(column).keyIdsOf(row.sealed)
  const canBeBound = column.use && bindingOf(row) !== undefined && !isBound(row.sealed)
  return canBeBound && !ids.includes('unreadable') ? ['unbound'] : ids
}

function titleOf({ name, inPlace }: SealedColumn): string {
  return inPlace ? `${name}.${inPlace.column}` : name
}

async function* batches(
  db: Db,
  column: SealedColumn,
  limit: number,
): AsyncGenerator<readonly SealedRow[]> {
  let after: readonly string[] | undefined
  for (;;) {
    const rows = await listSealed(db, column, { after, limit })
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    after = rows.at(-1)?.key
  }
}
