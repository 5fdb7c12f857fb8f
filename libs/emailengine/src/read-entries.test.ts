import { expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import type { Entry } from './entry.ts'
import { readEntries, readLists } from './read-entries.ts'
import { UnreadableError } from './unreadable-error.ts'

async function* pages(...lists: string[][]) {
  yield* lists
  throw new UnreadableError('the list is broken')
}

const kind = 'gateway' as const
const mapped = (id: string): Entry<string> => ({
  kind,
  id,
  input: new Secret(id),
  changes: [],
  omitted: [],
})
const source = (...lists: string[][]) => ({
  kind,
  pages: pages(...lists),
  idOf: (id: string) => id,
  read: async (id: string) => (id === 'none' ? undefined : mapped(id)),
  listName: 'gateways',
})
const idsOf = async (entries: AsyncIterable<Entry<string>>) =>
  (await Array.fromAsync(entries)).map(({ id, skipped }) => (skipped ? `${id}: ${skipped}` : id))

test('readEntries: with an id that is listed twice, returns the entity once', async () => {
  const entries = readEntries(source(['a', 'b'], ['b', 'none', 'c']), new Set())
  expect(await idsOf(entries)).toEqual(['a', 'b', 'c', 'gateways: the list is broken'])
})

test('readEntries: with an error that is not about a value, fails', async () => {
  const read = () => Promise.reject(new Error('connection lost'))
  await expect(idsOf(readEntries({ ...source(['a']), read }))).rejects.toThrow('connection lost')
})

test('readLists: with a broken list, reports the list', async () => {
  const read = (id: string) => readEntries(source([id, id]))
  const entries = readLists({ kind, pages: pages(['x']), read, listName: 'lists' })
  const broken = 'the list is broken'
  expect(await idsOf(entries)).toEqual(['x', 'x', `gateways: ${broken}`, `lists: ${broken}`])
})
