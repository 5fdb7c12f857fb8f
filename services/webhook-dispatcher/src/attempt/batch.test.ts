import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { batch } from './batch.ts'

test('calls that come together are answered together, each with its own answer', async () => {
  const batches: number[][] = []
  const double = batch<number, number>({
    max: 3,
    waitMs: 0,
    async work(items) {
      batches.push(items)
      return items.map((item) => item * 2)
    },
  })
  expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([[1, 2, 3], [4]])
})

test('what comes while a batch is worked on waits for the next', async () => {
  const gate = Promise.withResolvers<void>()
  const batches: string[][] = []
  const call = batch<string, string>({
    max: 10,
    waitMs: 0,
    async work(items) {
      batches.push(items)
      await gate.promise
      return items
    },
  })
  const first = call('a')
  await turn()
  await turn()
  const others = [call('b'), call('c')]
  gate.resolve()
  await Promise.all([first, ...others])
  expect(batches).toEqual([['a'], ['b', 'c']])
})

test('a batch that fails fails its calls, and the next one is worked on', async () => {
  let fail = true
  const call = batch<string, string>({
    max: 10,
    waitMs: 0,
    async work(items) {
      if (fail) throw new Error('down')
      return items
    },
  })
  await expect(Promise.all([call('a'), call('b')])).rejects.toThrow('down')
  fail = false
  expect(await call('c')).toBe('c')
})
