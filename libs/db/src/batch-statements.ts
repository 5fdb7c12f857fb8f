import { Batcher } from '@posthorn/flow'
import { sqlState } from './sql-state.ts'

export interface BatchOptions {
  /** Maximum items of one SQL statement; defaults to 100. */
  max?: number
}

/**
 * SQLSTATE classes for which a batch of items is run again item by item: data, constraint,
 * conflict.
 */
const isolatedStates = /^(?:22|23|40)/

/**
 * Returns a function whose concurrent calls share an SQL statement, its round trip and its commit.
 * While one statement runs, items collect for the next statement.
 *
 * `run` must process all items or none, and return one result per item in their order. If Postgres
 * rejects the data of a batch, each item runs alone, so that only the invalid item fails.
 */
export function batchStatements<Item, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  { max = 100 }: BatchOptions = {},
): (item: Item) => Promise<Result> {
  const isolates = (error: unknown) => isolatedStates.test(sqlState(error) ?? '')
  const batcher = new Batcher<Item, Result>({ run, maxItems: max, isolates })
  return (item) => batcher.add(item)
}
