import type { Marked } from './use-marked.ts'

/** Selected entries of a list, with the numbers and names that describe them. */
export interface CountedSelection {
  marked: Marked
  /** Number of the entries that match the filters of the list. Undefined: not loaded yet. */
  matching: number | undefined
  /** True if more entries may match, because the list stops counting at `matching`. */
  hasMore?: boolean
  /** Names of an entry and of several entries. */
  nouns: readonly [noun: string, plural: string]
}

/** Number of the selected entries with their name. The name only, if the number is not loaded. */
export function selectionText(selection: CountedSelection): string {
  const {
    marked: { keys, isAll },
    matching,
    hasMore = false,
    nouns: [noun, plural],
  } = selection
  const count = isAll ? matching : keys.size
  if (count === undefined) return plural
  if (isAll && hasMore) return `${count} or more ${plural}`
  return `${count} ${count === 1 ? noun : plural}`
}
