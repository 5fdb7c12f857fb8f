import { expect, test } from '@jest/globals'
import { array, assert, constantFrom, dictionary, integer, property, subarray } from 'fast-check'
import { applyFlags, compare, removeUids } from './compare.ts'
import { type Difference, MailboxIndex, maxKeywords, toStored } from './mailbox-index.ts'
import { rangesOf, uidsIn } from './ranges.ts'

/** Simple model of a mailbox index: a set of flags for every UID. */
type Model = Map<number, Set<string>>

const flagNames = ['\\Seen', '\\Flagged', 'work', '$Junk']
const uid = integer({ min: 1, max: 40 }).map((n) => (n > 20 ? 8_170 + n : n))
const model = dictionary(uid.map(String), subarray(flagNames), { maxKeys: 30 }).map(
  (entries): Model =>
    new Map(Object.entries(entries).map(([uid, flags]) => [Number(uid), new Set(flags)])),
)

function minus<T>(a: Set<T>, b: Set<T>): Set<T> {
  return new Set([...a].filter((one) => !b.has(one)))
}

function byName(a: string, b: string): number {
  return a < b ? -1 : 1
}

function searchResult(mailbox: Model, names = flagNames) {
  const flags = names.map(
    (name) =>
      [
        name,
        rangesOf([...mailbox].filter(([, set]) => set.has(name)).map(([uid]) => uid)),
      ] as const,
  )
  return { uids: rangesOf(mailbox.keys()), flags: new Map(flags) }
}

function indexOf(mailbox: Model): MailboxIndex {
  const index = new MailboxIndex()
  index.adopt(compare(index, searchResult(mailbox)).dirtyChunks)
  return index
}

function modelOf(index: MailboxIndex): Model {
  return new Map([...uidsIn(index.uids())].map((uid) => [uid, new Set(index.flagsOf(uid))]))
}

function expectChanges(difference: Difference, before: Model, after: Model): void {
  const kept = [...before.keys()].filter((uid) => after.has(uid)).sort((a, b) => a - b)
  const changed = kept.flatMap((uid) => {
    const [old, now] = [before.get(uid) ?? new Set<string>(), after.get(uid) ?? new Set<string>()]
    if (minus(old, now).size + minus(now, old).size === 0) return []
    return [
      {
        uid,
        added: [...minus(now, old)].toSorted(byName),
        removed: [...minus(old, now)].toSorted(byName),
        value: [...now].toSorted(byName),
      },
    ]
  })
  expect(difference.changed).toEqual(changed)
}

test('compare: reports changed flags, and adopt makes the index equal', () => {
  assert(
    property(model, model, (before, after) => {
      const index = indexOf(before)
      const difference = compare(index, searchResult(after))
      expectChanges(difference, before, after)
      expect(modelOf(index)).toEqual(before)
      index.adopt(difference.dirtyChunks)
      expect(modelOf(index)).toEqual(after)
      expect(compare(index, searchResult(after)).dirtyChunks.size).toBe(0)
    }),
    { numRuns: 400 },
  )
})

test('applyFlags: the last entry of a UID counts', () => {
  const messages = array(delta(), { maxLength: 30 })
  assert(
    property(model, messages, (before, deltas) => {
      const index = indexOf(before)
      const after: Model = new Map(before)
      for (const { uid, flags } of deltas) after.set(uid, new Set(flags))
      const difference = applyFlags(index, deltas)
      expectChanges(difference, before, after)
      index.adopt(difference.dirtyChunks)
      expect(modelOf(index)).toEqual(after)
    }),
    { numRuns: 400 },
  )
})

function delta() {
  return uid.chain((uid) => subarray(flagNames).map((flags) => ({ uid, flags })))
}

test('removeUids: removes the flags as well', () => {
  assert(
    property(model, array(uid), (before, gone) => {
      const index = indexOf(before)
      const after: Model = new Map([...before].filter(([uid]) => !gone.includes(uid)))
      const difference = removeUids(index, rangesOf(gone))
      expectChanges(difference, before, after)
      index.adopt(difference.dirtyChunks)
      expect(modelOf(index)).toEqual(after)
      expect([...index.chunks.values()].every(({ flags }) => flags.size <= flagNames.length)).toBe(
        true,
      )
    }),
    { numRuns: 400 },
  )
})

test('MailboxIndex.fromStored: reverses toStored', () => {
  assert(
    property(model, (mailbox) => {
      const index = indexOf(mailbox)
      const stored = [...index.chunks].map(([number, chunk]) => toStored(number, chunk))
      expect(modelOf(MailboxIndex.fromStored(stored))).toEqual(mailbox)
      expect(
        stored.every(({ uids, flagBits }) =>
          [uids, ...flagBits].every((bits) => bits.at(-1) !== 0),
        ),
      ).toBe(true)
    }),
  )
})

test('compare: keeps flags that were not searched', () => {
  assert(
    property(model, constantFrom(...flagNames), (mailbox, name) => {
      const index = indexOf(mailbox)
      expect(compare(index, searchResult(mailbox, [name])).dirtyChunks.size).toBe(0)
      expect(
        compare(index, { uids: rangesOf(mailbox.keys()), flags: new Map() }).dirtyChunks.size,
      ).toBe(0)
    }),
  )
})

test('canonicalFlag: one spelling of system flags, none for Recent', () => {
  const index = new MailboxIndex()
  const { dirtyChunks } = applyFlags(index, [
    { uid: 3, flags: ['\\SEEN', '\\Recent', '\\Important', 'Work'] },
  ])
  index.adopt(dirtyChunks)
  expect(index.uids()).toEqual([[3, 3]])
  expect(index.flagsOf(3)).toEqual(['Work', '\\Seen'])
  expect(index.flagsOf(4)).toBeUndefined()
})

test('MailboxIndex.trackedNames: at most 64 keywords, those in use first', () => {
  const keywords = Array.from({ length: 200 }, (_, n) => `k${n}`)
  const index = new MailboxIndex()
  index.adopt(applyFlags(index, [{ uid: 1, flags: keywords }]).dirtyChunks)
  expect(index.flags().size).toBe(maxKeywords)
  const again = applyFlags(index, [{ uid: 1, flags: keywords.toReversed() }])
  expect(again.changed).toEqual([])
  expect(index.trackedNames(['\\Seen', 'other', 'k1'])).toEqual(new Set(['\\Seen', 'k1']))
})

test('compare: 100,000 messages with half of them seen', () => {
  const all: Model = new Map(Array.from({ length: 100_000 }, (_, n) => [n + 1, new Set<string>()]))
  const index = indexOf(all)
  const seen = rangesOf([...all.keys()].filter((uid) => uid % 2 === 0))
  const difference = compare(index, { uids: [[1, 100_000]], flags: new Map([['\\Seen', seen]]) })
  expect(difference.changed).toHaveLength(50_000)
  expect(difference.dirtyChunks.size).toBe(13)
})
