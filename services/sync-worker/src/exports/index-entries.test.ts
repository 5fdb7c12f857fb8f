import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { compareEntries, maxRunEntries, packRun, partLimits, unpackEntry } from './index-entries.ts'

function unpackAll(parts: readonly Buffer[]) {
  return parts.flatMap((part) => {
    const entries = []
    for (let at = unpackEntry(part, 0); at; at = unpackEntry(part, at.next)) entries.push(at.entry)
    return entries
  })
}

describe('packRun', () => {
  test('entries in any order, are sorted by date, then by number in the id', async () => {
    const entries = [
      { order: 5, id: '1.10' },
      { order: 5, id: '1.9' },
      { order: -3, id: '2.1' },
      { order: 1_900_000_000_000, id: 'x'.repeat(255) },
    ]
    expect(unpackAll(await packRun(entries))).toEqual([
      entries[2],
      entries[1],
      entries[0],
      entries[3],
    ])
  })

  test('many entries, parts keep both limits', async () => {
    const short = Array.from({ length: 10_000 }, (_, order) => ({ order, id: String(order) }))
    const long = short.map(({ order }) => ({ order, id: `${order}`.padStart(200, '0') }))
    for (const entries of [short, long]) {
      const parts = await packRun(entries)
      expect(unpackAll(parts)).toEqual(entries)
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(partLimits.bytes)
        expect(unpackAll([part]).length).toBeLessThanOrEqual(partLimits.entries)
      }
    }
  })

  test('a run of the maximum size, other work of the process continues', async () => {
    const entries = Array.from({ length: maxRunEntries }, (_, at) => ({
      order: (at * 7_919) % maxRunEntries,
      id: String(at),
    }))
    let isPacked = false
    const packing = packRun(entries).finally(() => (isPacked = true))
    let steps = 0
    for (; !isPacked; steps++) await setImmediate()
    expect(unpackAll(await packing)).toEqual(entries.toSorted(compareEntries))
    expect(steps).toBeGreaterThanOrEqual(30)
  })

  test('no entries, has no parts', async () => {
    expect(await packRun([])).toEqual([])
  })
})

test('compareEntries: equal entries, returns 0', () => {
  expect(compareEntries({ order: 1, id: 'a' }, { order: 1, id: 'a' })).toBe(0)
})
