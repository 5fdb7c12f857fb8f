import { Batcher } from '@posthorn/flow'
import { sqlState } from './sql-state.ts'

export interface BatchOptions {
  /** Maximum number of items in one SQL statement. Defaults to 100. */
  max?: number
}

/**
 * Pattern of SQLSTATEs (data error, constraint violation, conflict) after which the items of a
 * failed batch are processed one by one.
 */
const isolatedStates = /^(?:22|23|40)/

/**
 * Returns a function whose concurrent calls are processed by one SQL statement, so that they share
 * its round trip and its commit. While a statement runs, new items are collected for the next
 * statement.
 *
 * `run` must process either all items or none, and return one result per item in the order of the
 * items. If Postgres rejects the data of a batch, each item is processed alone, so that only the
 * invalid item fails.
 */
export function batchStatements<Item, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  { max = 100 }: BatchOptions = {},
): (item: Item) => Promise<Result> {
  const isolates = (error: unknown) => isolatedStates.test(sqlState(error) ?? '')
  const batcher = new Batcher<Item, Result>({ run, maxItems: max, isolates })
  return (item) => batcher.add(item)
}
