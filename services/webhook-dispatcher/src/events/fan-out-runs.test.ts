import { expect, test } from '@jest/globals'
import { createFanOutRuns } from './fan-out-runs.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function setUp(concurrency = 4) {
  const runs: { key: number; end: PromiseWithResolvers<void> }[] = []
  const request = createFanOutRuns((key) => {
    const end = Promise.withResolvers<void>()
    runs.push({ key, end })
    return end.promise
  }, concurrency)
  return { request, runs }
}

test('createFanOutRuns: requests during a run share one further run', async () => {
  const { request, runs } = setUp()
  const first = request(1)
  await turn()
  let resolved = 0
  const others = [1, 2, 3].map(() => request(1).then(() => resolved++))
  await turn()
  expect(runs).toHaveLength(1)
  runs[0]?.end.resolve()
  await first
  await turn()
  expect(runs).toHaveLength(2)
  expect(resolved).toBe(0)
  runs[1]?.end.resolve()
  await Promise.all(others)
  expect(runs).toHaveLength(2)
})

test('createFanOutRuns: a failed run rejects its own requests only', async () => {
  const { request, runs } = setUp()
  const first = request(1)
  await turn()
  const second = request(1)
  runs[0]?.end.reject(new Error('down'))
  await expect(first).rejects.toThrow('down')
  await turn()
  runs[1]?.end.resolve()
  await second
})

test('createFanOutRuns: limits the partitions that run concurrently', async () => {
  const { request, runs } = setUp(2)
  const all = [1, 2, 3].map(request)
  await turn()
  expect(runs.map(({ key }) => key)).toEqual([1, 2])
  runs[0]?.end.resolve()
  await turn()
  expect(runs.map(({ key }) => key)).toEqual([1, 2, 3])
  for (const { end } of runs) end.resolve()
  await Promise.all(all)
})
