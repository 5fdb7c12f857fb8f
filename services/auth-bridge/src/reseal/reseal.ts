import type { Db } from '@posthorn/db'
import { keyIdOf, type Resealer } from '@posthorn/secrets'
import {
  listSealed,
  replaceSealed,
  type SealedRow,
  type SealedTable,
  sealedTables,
} from '../store/sealed-values.ts'

/** How many values of a table hang on which key, by the key's id; what is no sealed value at all counts under `unreadable`. */
export type KeyCounts = Record<string, number>

export interface TableState {
  table: string
  keys: KeyCounts
}

export interface ResealOptions {
  db: Db
  resealer: Resealer
  /** Told after every batch. */
  progress?: (line: string) => void
  batchSize?: number
}

const defaultBatchSize = 500
/** Whoever seals with an old key at the same time, which a gateway does that was not told of the new one, must not keep this from its end. */
const maxRounds = 5

/** Which key each sealed value hangs on. Changes nothing. */
export async function countKeys({
  db,
  batchSize = defaultBatchSize,
}: Pick<ResealOptions, 'db' | 'batchSize'>): Promise<TableState[]> {
  const states: TableState[] = []
  for (const table of sealedTables) {
    const keys: KeyCounts = {}
    for await (const rows of batches(db, table, batchSize)) {
      for (const { sealed } of rows) {
        const id = keyIdOf(sealed) ?? 'unreadable'
        keys[id] = (keys[id] ?? 0) + 1
      }
    }
    states.push({ table: table.name, keys })
  }
  return states
}

export interface Resealed {
  /** Values that hang on the newest key now and did not before. */
  done: number
  /** Values that none of the keys opens; left as they are. */
  unopened: number
}

/**
 * Seals everything with the newest key that hangs on another. Beside running replicas it is safe: a value that was changed after it was
 * read stays what it was changed to, and is looked at again. It may be stopped at any time and run again.
 */
export async function resealAll(options: ResealOptions): Promise<Resealed> {
  let done = 0
  for (let round = 1; ; round += 1) {
    const found = { done: 0, unopened: 0, changed: 0 }
    for (const table of sealedTables) await resealTable(table, options, found)
    done += found.done
    if (found.changed === 0 || round === maxRounds) return { done, unopened: found.unopened }
  }
}

interface Found extends Resealed {
  /** Values that somebody else changed meanwhile. */
  changed: number
}

async function resealTable(
  table: SealedTable,
  { db, resealer, progress, batchSize = defaultBatchSize }: ResealOptions,
  found: Found,
): Promise<void> {
  for await (const rows of batches(db, table, batchSize)) {
    const old = rows.filter(({ sealed }) => keyIdOf(sealed) !== resealer.newest)
    const resealed = await Promise.all(old.map((row) => resealRow(row, resealer)))
    const opened = resealed.filter((row) => row !== undefined)
    const replaced = await replaceSealed(db, table, opened)
    found.done += replaced
    found.changed += opened.length - replaced
    found.unopened += old.length - opened.length
    if (old.length > 0) progress?.(`${table.name}: ${replaced} of ${old.length} sealed anew`)
  }
}

/** Undefined where no key opens it. */
async function resealRow(
  row: SealedRow,
  resealer: Resealer,
): Promise<(SealedRow & { resealed: string }) | undefined> {
  try {
    return { ...row, resealed: await resealer.reseal(row.sealed) }
  } catch {
    return undefined
  }
}

async function* batches(
  db: Db,
  table: SealedTable,
  limit: number,
): AsyncGenerator<readonly SealedRow[]> {
  let after: readonly string[] | undefined
  for (;;) {
    const rows = await listSealed(db, table, { after, limit })
    if (rows.length > 0) yield rows
    if (rows.length < limit) return
    after = rows.at(-1)?.key
  }
}
