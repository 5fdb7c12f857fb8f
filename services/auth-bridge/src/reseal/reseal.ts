import type { Db } from '@posthorn/db'
import type { Resealer } from '@posthorn/secrets'
import {
  inPlaceColumns,
  listSealed,
  replaceSealed,
  type SealedColumn,
  type SealedRow,
  sealedTables,
} from '../store/sealed-values.ts'
import { wayOf } from './ways.ts'

/**
 * How many values of a table hang on which key, by the key's id; what is no sealed value at all counts under `unreadable`, and what an
 * earlier release has stored in the clear under `clear`.
 */
export type KeyCounts = Record<string, number>

export interface TableState {
  /** Of addresses and headers with the column: `accounts.proxy`. */
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

const columns = [...sealedTables, ...inPlaceColumns]
const defaultBatchSize = 500
/** Whoever seals with an old key at the same time, which a gateway does that was not told of the new one, must not keep this from its end. */
const maxRounds = 5

/** Which key each sealed value hangs on. Changes nothing. */
export async function countKeys({
  db,
  batchSize = defaultBatchSize,
}: Pick<ResealOptions, 'db' | 'batchSize'>): Promise<TableState[]> {
  const states = new Map<string, KeyCounts>()
  for (const column of columns) {
    const keys = states.get(titleOf(column)) ?? {}
    states.set(titleOf(column), keys)
    for await (const rows of batches(db, column, batchSize)) {
      const ids = rows.flatMap(({ sealed }) => wayOf(column).keyIdsOf(sealed))
      for (const id of ids) keys[id] = (keys[id] ?? 0) + 1
    }
  }
  return Array.from(states, ([table, keys]) => ({ table, keys }))
}

export interface Resealed {
  /** Values that hang on the newest key now and did not before; those of a list of headers are one. */
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
    const way = wayOf(column)
    const old = rows.filter(({ sealed }) =>
      way.keyIdsOf(sealed).some((id) => id !== resealer.newest),
    )
    const resealed = await Promise.all(
      old.map(async (row) => ({ ...row, ...(await way.reseal(row, resealer)) })),
    )
    const opened = resealed.filter(({ sealed, stored }) => stored !== sealed)
    const replaced = await replaceSealed(db, column, opened)
    found.done += replaced
    found.changed += opened.length - replaced
    found.unopened += resealed.reduce((sum, { unopened }) => sum + unopened, 0)
    if (old.length > 0) progress?.(`${titleOf(column)}: ${replaced} of ${old.length} sealed anew`)
  }
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
