import type { Entry, EntryKind } from './entry.ts'
import { UnreadableError } from './unreadable-error.ts'

export interface EntrySource<Item, Input> {
  kind: EntryKind
  /** Elements of a set or hash in EmailEngine's store, in pages. */
  pages: AsyncIterable<readonly Item[]>
  idOf: (item: Item) => string
  read: (item: Item) => Promise<Entry<Input> | undefined>
  /** Name of the elements of EmailEngine's store for a report, if they cannot be listed. */
  listName: string
}

/**
 * Reads the entities of one kind from EmailEngine's store, a page at a time. The entities of a page
 * are read concurrently. An unreadable entity becomes a skipped entry. Redis may return an element
 * twice: with `seen`, the ids that were read already, the element is read once.
 */
export async function* readEntries<Item, Input>(
  { kind, pages, idOf, read, listName }: EntrySource<Item, Input>,
  seen?: Set<string>,
): AsyncGenerator<Entry<Input>> {
  const readOne = (item: Item) => readEntry(kind, idOf(item), () => read(item))
  try {
    for await (const page of pages) {
      const fresh = page.filter((item) => !seen?.has(idOf(item)))
      for (const item of fresh) seen?.add(idOf(item))
      const entries = await Promise.all(fresh.map(readOne))
      yield* entries.filter((entry) => entry !== undefined)
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    yield { kind, id: listName, skipped: error.message }
  }
}

interface ListSource<Input> {
  kind: EntryKind
  /** Ids of lists, such as blocklists, in EmailEngine's store, in pages. */
  pages: AsyncIterable<readonly string[]>
  /** Reads the entities of one list, such as a blocklist, from EmailEngine's store. */
  read: (id: string) => AsyncIterable<Entry<Input>>
  /** Name of EmailEngine's lists for a report, if they cannot be listed. */
  listName: string
}

/** Reads the entities of several lists of EmailEngine's store, one list after the other. */
export async function* readLists<Input>({
  kind,
  pages,
  read,
  listName,
}: ListSource<Input>): AsyncGenerator<Entry<Input>> {
  try {
    for await (const page of pages) for (const id of page) yield* read(id)
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    yield { kind, id: listName, skipped: error.message }
  }
}

/** Reads one entity of EmailEngine's store. An unreadable entity becomes a skipped entry. */
export async function readEntry<Input>(
  kind: EntryKind,
  id: string,
  read: () => Promise<Entry<Input> | undefined>,
): Promise<Entry<Input> | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof UnreadableError) return { kind, id, skipped: error.message }
    throw error
  }
}
