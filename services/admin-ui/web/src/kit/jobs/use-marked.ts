import { useState } from 'react'

/** Entries of a list that a person has selected. */
export interface Marked {
  /** Keys of the selected entries. Empty if `isAll` is true. */
  keys: ReadonlySet<string>
  /** True if all entries are selected that match the filters of the list, on all its pages. */
  isAll: boolean
}

/** Selection without entries. */
export const nothingMarked: Marked = { keys: new Set(), isAll: false }

/** True if no entry is selected. */
export function isNothingMarked({ keys, isAll }: Marked): boolean {
  return keys.size === 0 && !isAll
}

/**
 * Returns the selected entries of a list, and the function that changes them. Changed filters end
 * the selection, because the list may not show the selected entries any more.
 */
export function useMarked(filter: object): [marked: Marked, change: (marked: Marked) => void] {
  const filterKey = JSON.stringify(filter)
  const [state, setState] = useState({ filterKey, marked: nothingMarked })
  // The selection is dropped, so that it does not return together with the former filters.
  if (state.filterKey !== filterKey) setState({ filterKey, marked: nothingMarked })
  const marked = state.filterKey === filterKey ? state.marked : nothingMarked
  return [marked, (next) => setState({ filterKey, marked: next })]
}

/**
 * Selection for the table of a list. A change of the table ends the selection of all entries: then
 * only the entries on the page are selected.
 */
export function tableSelection(
  { keys, isAll }: Marked,
  shown: readonly string[],
  change: (marked: Marked) => void,
) {
  return {
    keys: isAll ? new Set(shown) : keys,
    onChange: (next: ReadonlySet<string>) => change({ keys: next, isAll: false }),
  }
}
