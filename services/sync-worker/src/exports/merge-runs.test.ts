import { describe, expect, test } from '@jest/globals'
import type { ExportEntry } from '../drivers/export-driver.ts'
import { compareEntries, packRun } from './index-entries.ts'
import { type MergePosition, positionAfter, RunMerge } from './merge-runs.ts'

/**
 * Sorted runs (pieces of an export's message list) whose entries have random dates, the same in
 * each test run.
 */
function randomRuns(count: number, perRun: number): ExportEntry[][] {
  let state = 42
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31)
  return Array.from({ length: count }, (_, run) =>
    Array.from({ length: perRun }, (_unused, at) => ({
      order: next() % 1_000,
      id: `${run}.${at}`,
    })),
  )
}

function loaderOf(runs: readonly (readonly ExportEntry[])[]) {
  const packed = runs.map((run) => packRun(run))
  return async (run: number, part: number) => (await packed[run])?.[part]
}

async function takeAll(merge: RunMerge, size: number) {
  const all = []
  for (let batch = await merge.take(size); batch.length > 0; batch = await merge.take(size))
    all.push(...batch)
  return all
}

const start: MergePosition = { runs: [] }
const bare = (entries: readonly ExportEntry[]) => entries.map(({ order, id }) => ({ order, id }))

describe('RunMerge', () => {
  test('several runs of several parts, takes all entries in order', async () => {
    const runs = randomRuns(3, 9_000)
    const merge = await RunMerge.open(3, start, loaderOf(runs))
    expect(bare(await takeAll(merge, 500))).toEqual(runs.flat().toSorted(compareEntries))
  })

  test('opened at any stored position, continues after the entry of the position', async () => {
    const runs = randomRuns(4, 50)
    const load = loaderOf(runs)
    const all = await takeAll(await RunMerge.open(4, start, load), 7)
    let position = start
    for (const [at, entry] of all.entries()) {
      position = positionAfter(position, entry)
      const stored = JSON.parse(JSON.stringify(position)) as MergePosition
      const rest = await takeAll(await RunMerge.open(4, stored, load), 100)
      expect(bare(rest)).toEqual(bare(all.slice(at + 1)))
    }
  })

  test('the same message in two runs, takes it once, also after a stored position', async () => {
    const entry = { order: 1, id: 'a' }
    const load = loaderOf([[entry], [entry, { order: 2, id: 'b' }]])
    const merge = await RunMerge.open(2, start, load)
    const all = await takeAll(merge, 10)
    expect(bare(all)).toEqual([entry, { order: 2, id: 'b' }])
    const [first] = all
    const position = first ? positionAfter(start, first) : start
    const rest = await takeAll(await RunMerge.open(2, position, load), 10)
    expect(bare(rest)).toEqual([{ order: 2, id: 'b' }])
  })

  test('repeated entry before the position of another run, is not taken again', async () => {
    const [x, z, w] = ['x', 'z', 'w'].map((id, order) => ({ order, id })) as [
      ExportEntry,
      ExportEntry,
      ExportEntry,
    ]
    const load = loaderOf([
      [x, z],
      [x, w],
    ])
    let position = start
    for (const entry of await (await RunMerge.open(2, start, load)).take(2))
      position = positionAfter(position, entry)
    const rest = await takeAll(await RunMerge.open(2, position, load), 10)
    expect(bare(rest)).toEqual([w])
  })

  test('without runs, takes nothing', async () => {
    const merge = await RunMerge.open(0, start, async () => undefined)
    expect(await merge.take(10)).toEqual([])
  })
})
