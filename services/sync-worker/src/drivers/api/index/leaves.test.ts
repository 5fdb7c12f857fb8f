import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { emptyMessage, type IndexedMessage } from './indexed-message.ts'
import { changeLeaves, type Leaf } from './leaves.ts'

const maxMessages = 8

/**
 * Leaves (blocks of the message index) as stored. A change loads the leaves that cover the message
 * ids, and the leaves before small leaves.
 */
class Leaves {
  readonly byLow = new Map<string, Leaf>()

  change(changes: ReadonlyMap<string, IndexedMessage | undefined>): void {
    const lows = [...this.byLow.keys()].sort()
    const loaded = new Map<string, Leaf>()
    for (const id of changes.keys()) {
      const at = lows.findLastIndex((low) => low <= id)
      const [leaf, before] = [this.#at(lows[at]), this.#at(lows[at - 1])]
      if (!leaf) continue
      const isSmall = before && leaf.messages.length < maxMessages / 4
      loaded.set(leaf.low, isSmall ? { ...leaf, previous: before.low } : leaf)
      if (isSmall && !loaded.has(before.low)) loaded.set(before.low, before)
    }
    const { saved, deleted, added } = changeLeaves([...loaded.values()], changes, maxMessages)
    const before = this.ids().length
    for (const low of deleted) this.byLow.delete(low)
    for (const leaf of saved) this.byLow.set(leaf.low, leaf)
    expect(this.ids().length - before).toBe(added)
  }

  ids(): string[] {
    return this.sorted().flatMap(({ messages }) => messages.map(({ id }) => id))
  }

  sorted(): Leaf[] {
    return [...this.byLow.values()].sort((one, other) => (one.low < other.low ? -1 : 1))
  }

  #at(low: string | undefined): Leaf | undefined {
    return low === undefined ? undefined : this.byLow.get(low)
  }
}

const change = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.boolean())

test('changeLeaves: after any changes, sorted ids in leaves of limited size that cover them', () => {
  fc.assert(
    fc.property(fc.array(fc.array(change, { maxLength: 40 }), { maxLength: 30 }), (batches) => {
      const leaves = new Leaves()
      const expected = new Set<string>()
      for (const batch of batches) {
        const changes = new Map<string, IndexedMessage | undefined>()
        for (const [number, isPresent] of batch) {
          const id = String(number).padStart(2, '0')
          changes.set(id, isPresent ? emptyMessage(id) : undefined)
          if (isPresent) expected.add(id)
          else expected.delete(id)
        }
        leaves.change(changes)
        expect(leaves.ids()).toEqual([...expected].sort())
        for (const { low, messages } of leaves.byLow.values()) {
          expect(messages.length).toBeGreaterThan(0)
          expect(messages.length).toBeLessThanOrEqual(maxMessages)
          expect(low <= (messages[0]?.id ?? '')).toBe(true)
        }
      }
    }),
  )
})

test('changeLeaves: merges a small leaf with the one before when it is changed', () => {
  const leaves = new Leaves()
  const ids = Array.from({ length: 40 }, (_, at) => String(at).padStart(2, '0'))
  leaves.change(new Map(ids.map((id) => [id, emptyMessage(id)])))
  const count = leaves.byLow.size
  expect(count).toBeGreaterThan(4)
  for (const id of ids.slice(1)) leaves.change(new Map([[id, undefined]]))
  expect(leaves.ids()).toEqual(['00'])
  expect(leaves.byLow.size).toBe(1)
})
