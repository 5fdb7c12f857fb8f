import { expect, test } from '@jest/globals'
import { DatabaseError } from 'pg'
import { batchStatements } from './batch-statements.ts'

/**
 * Batched function of the test that doubles numbers. Each run of a batch ends when the test calls
 * `end`.
 */
function doubling(options: { max?: number } = {}) {
  const runs: { items: number[]; end: (error?: Error) => void }[] = []
  let started: () => void = () => undefined
  const double = batchStatements<number, number>((items) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>()
    runs.push({
      items,
      end: (error) => (error ? reject(error) : resolve(items.map((item) => item * 2))),
    })
    started()
    return promise
  }, options)
  const untilStarted = async (count: number) => {
    while (runs.length < count) await new Promise<void>((resolve) => (started = resolve))
  }
  return { runs, double, untilStarted }
}

function databaseError(code: string): DatabaseError {
  return Object.assign(new DatabaseError('refused', 0, 'error'), { code })
}

test('batchStatements: calls during a run share the next one', async () => {
  const { runs, double, untilStarted } = doubling()
  const first = double(1)
  await untilStarted(1)
  const others = [double(2), double(3)]
  runs[0]?.end()
  expect(await first).toBe(2)
  await untilStarted(2)
  runs[1]?.end()
  expect(await Promise.all(others)).toEqual([4, 6])
  expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]])
})

test('batchStatements: a run has at most `max` items', async () => {
  const { runs, double, untilStarted } = doubling({ max: 2 })
  const all = [double(1), double(2), double(3)]
  await untilStarted(1)
  runs[0]?.end()
  await untilStarted(2)
  runs[1]?.end()
  expect(await Promise.all(all)).toEqual([2, 4, 6])
  expect(runs.map(({ items }) => items)).toEqual([[1, 2], [3]])
})

test('batchStatements: with one invalid item, runs each item alone', async () => {
  const { runs, double, untilStarted } = doubling()
  const all = Promise.allSettled([double(1), double(2)])
  await untilStarted(1)
  runs[0]?.end(databaseError('23503'))
  await untilStarted(3)
  runs[1]?.end(databaseError('23503'))
  runs[2]?.end()
  expect(await all).toMatchObject([
    { status: 'rejected', reason: { code: '23503' } },
    { status: 'fulfilled', value: 4 },
  ])
})

test('batchStatements: after a timeout, rejects the batch and runs the next', async () => {
  const { runs, double, untilStarted } = doubling()
  const all = Promise.allSettled([double(1), double(2)])
  await untilStarted(1)
  runs[0]?.end(new Error('Query read timeout'))
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = double(3)
  await untilStarted(2)
  runs[1]?.end()
  expect(await next).toBe(6)
})
