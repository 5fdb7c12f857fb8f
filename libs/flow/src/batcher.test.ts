import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { Batcher } from './batcher.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const double = (batches: number[][]) => (items: number[]) => {
  batches.push(items)
  return Promise.resolve(items.map((item) => item * 2))
}

test('Batcher: merges the calls of one turn and returns each its result', async () => {
  const batches: number[][] = []
  const batcher = new Batcher({ run: double(batches) })
  const results = Promise.all([1, 2, 3].map((item) => batcher.add(item)))
  await jest.runAllTimersAsync()
  expect(await results).toEqual([2, 4, 6])
  expect(batches).toEqual([[1, 2, 3]])
})

test('Batcher: runs one batch at a time, at most maxItems each, in order', async () => {
  const batches: number[][] = []
  const gate = Promise.withResolvers<void>()
  const batcher = new Batcher<number, void>({
    maxItems: 2,
    run: async (items) => {
      batches.push(items)
      await gate.promise
      return []
    },
  })
  const all = Promise.all([1, 2, 3, 4, 5].map((item) => batcher.add(item)))
  await jest.runAllTimersAsync()
  expect(batches).toEqual([[1, 2]])
  gate.resolve()
  await jest.runAllTimersAsync()
  await all
  expect(batches).toEqual([[1, 2], [3, 4], [5]])
})

test('Batcher: a batch that is not full waits lingerMs, a full one does not', async () => {
  const batches: number[][] = []
  const batcher = new Batcher({ maxItems: 2, lingerMs: 50, run: double(batches) })
  void batcher.add(1)
  await jest.advanceTimersByTimeAsync(49)
  expect(batches).toEqual([])
  for (const item of [2, 3]) void batcher.add(item)
  await jest.advanceTimersByTimeAsync(1)
  expect(batches).toEqual([[1, 2]])
  void batcher.add(4)
  await jest.advanceTimersByTimeAsync(50)
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(batcher.waiting).toBe(0)
})

test('Batcher: a failed batch rejects all of its calls and none of the next', async () => {
  const run = jest
    .fn<(items: number[]) => Promise<number[]>>()
    .mockRejectedValueOnce(new Error('no'))
    .mockImplementation((items) => Promise.resolve(items))
  const batcher = new Batcher({ run })
  const failed = Promise.allSettled([batcher.add(1), batcher.add(2)])
  await jest.runAllTimersAsync()
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = batcher.add(3)
  await jest.runAllTimersAsync()
  expect(await next).toBe(3)
})

test('Batcher: an error that isolates runs the items again one by one', async () => {
  const batcher = new Batcher<number, number>({
    isolates: (error) => error instanceof RangeError,
    run: (items) =>
      items.includes(2) ? Promise.reject(new RangeError('2')) : Promise.resolve(items),
  })
  const results = Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)))
  await jest.runAllTimersAsync()
  expect((await results).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
})

test('Batcher.drain: resolves when no item waits or runs', async () => {
  const batches: number[][] = []
  const batcher = new Batcher({ maxItems: 1, run: double(batches) })
  for (const item of [1, 2, 3]) void batcher.add(item)
  await batcher.drain()
  expect(batches).toEqual([[1], [2], [3]])
  await batcher.drain()
})
