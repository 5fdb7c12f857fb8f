import type { Entry } from '../src/index.ts'

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(items)
}

/**
 * Input to which an EmailEngine entity was mapped. Fails with the reason if the entity is skipped.
 */
export function inputOf<T>(entry: Entry<T> | undefined): T {
  if (!entry) throw new Error('there is no such entry')
  if (entry.skipped !== undefined) throw new Error(`${entry.id} is skipped: ${entry.skipped}`)
  return entry.input.reveal()
}

export function byId<T>(entries: readonly Entry<T>[], id: string): Entry<T> {
  const entry = entries.find((candidate) => candidate.id === id)
  if (!entry) throw new Error(`there is no entry ${id}`)
  return entry
}

/** Ids and reasons of the EmailEngine entities that were skipped. */
export function skippedOf(entries: readonly Entry<unknown>[]): [id: string, reason: string][] {
  return entries.flatMap(({ id, skipped }) =>
    skipped === undefined ? [] : [[id, skipped] satisfies [string, string]],
  )
}
