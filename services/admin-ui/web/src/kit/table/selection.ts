/** Adds the key of a table row to the selected keys, or removes the key if the row was selected. */
export function toggleKey(selected: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(selected)
  if (!next.delete(key)) next.add(key)
  return next
}

/** Selects all rows of a page of the table. If all of them are selected, deselects them. */
export function toggleAll(
  selected: ReadonlySet<string>,
  keys: readonly string[],
): ReadonlySet<string> {
  const isComplete = keys.every((key) => selected.has(key))
  const next = new Set(selected)
  for (const key of keys) {
    if (isComplete) next.delete(key)
    else next.add(key)
  }
  return next
}

/** Index of the table row to which a keyboard shortcut moves. -1: no row is current. */
export function moveRow(current: number, step: 1 | -1, count: number): number {
  if (count === 0) return -1
  if (current === -1) return step === 1 ? 0 : count - 1
  return Math.min(count - 1, Math.max(0, current + step))
}
