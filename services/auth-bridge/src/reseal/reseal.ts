import type { Db } from '@posthorn/db'
import { keyIdOf, keyIdOfLogin, resealLogin, type Resealer } from '@posthorn/secrets'
import {
  addressColumns,
  listSealed,
  replaceSealed,
  type SealedColumn,
  type SealedRow,
  sealedTables,
} from '../store/sealed-values.ts'

/**
 * How many values of a table hang on which key, by the key's id; what is no sealed value at all counts under `unreadable`, and a login
 * that an earlier release has stored in the clear under `clear`.
 */
export type KeyCounts = Record<string, number>

export interface TableState {
  /** Of addresses with the column: `accounts.proxy`. */
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

const columns = [...sealedTables, ...addressColumns]
const defaultBatchSize = 500
/** Whoever seals with an old key at the same time, which a gateway does that was not told of the new one, must not keep this from its end. */
const maxRounds = 5

/** Which key each sealed value hangs on. Changes nothing. */
export async function countKeys({
  db,
  batchSize = defaultBatchSize,
}: Pick<ResealOptions, 'db' | 'batchSize'>): Promise<TableState[]> {
  const states: TableState[] = []
  for (const column of columns) {
    const keys: KeyCounts = {}
    for await (const rows of batches(db, column, batchSize)) {
      const ids = rows.map(({ sealed }) => keyOf(column, sealed))
      for (const id of ids.filter((each) => each !== undefined)) keys[id] = (keys[id] ?? 0) + 1
    }
    states.push({ table: titleOf(column), keys })
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
    for (const column of columns) await resealColumn(column, options, found)
    done += found.done
    if (found.changed === 0 || round === maxRounds) return { done, unopened: found.unopened }
  }
}

interface Found extends Resealed {
  /** Values that somebody else changed meanwhile. */
  changed: number
}

async function resealColumn(
  column: SealedColumn,
  { db, resealer, progress, batchSize = defaultBatchSize }: ResealOptions,
  found: Found,
): Promise<void> {
  for await (const rows of batches(db, column, batchSize)) {
    const old = rows.filter(({ sealed }) => {
      const id = keyOf(column, sealed)
      return id !== undefined && id !== resealer.newest
    })
    const reseal = (sealed: string) =>
      column.address ? resealLogin(sealed, resealer) : resealer.reseal(sealed)
    const resealed = await Promise.all(old.map((row) => resealRow(row, reseal)))
    const opened = resealed.filter((row) => row !== undefined)
    const replaced = await replaceSealed(db, column, opened)
    found.done += replaced
    found.changed += opened.length - replaced
    found.unopened += old.length - opened.length
    if (old.length > 0) progress?.(`${titleOf(column)}: ${replaced} of ${old.length} sealed anew`)
  }
}

/** Undefined where no key opens it. */
async function resealRow(
  row: SealedRow,
  reseal: (sealed: string) => Promise<string>,
): Promise<(SealedRow & { resealed: string }) | undefined> {
  try {
    return { ...row, resealed: await reseal(row.sealed) }
  } catch {
    return undefined
  }
}

/** Undefined for an address without a login. */
function keyOf({ address }: SealedColumn, sealed: string): string | undefined {
  return address ? keyIdOfLogin(sealed) : (keyIdOf(sealed) ?? 'unreadable')
}

function titleOf({ name, address }: SealedColumn): string {
  return address ? `${name}.${address.column}` : name
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
