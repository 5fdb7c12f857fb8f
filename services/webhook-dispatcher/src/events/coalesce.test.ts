import { expect, test } from '@jest/globals'
import { coalesce } from './coalesce.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

function setUp(width = 4) {
  const runs: { key: number; end: PromiseWithResolvers<void> }[] = []
  const request = coalesce((key) => {
    const end = Promise.withResolvers<void>()
    runs.push({ key, end })
    return end.promise
  }, width)
  return { request, runs }
}

test('requests during a run are answered by one more run, which begins after them', async () => {
  const { request, runs } = setUp()
  const first = request(1)
  await turn()
  let answered = 0
  const others = [1, 2, 3].map(() => request(1).then(() => answered++))
  await turn()
  expect(runs).toHaveLength(1)
  runs[0]?.end.resolve()
  await first
  await turn()
  expect(runs).toHaveLength(2)
  expect(answered).toBe(0)
  runs[1]?.end.resolve()
  await Promise.all(others)
  expect(runs).toHaveLength(2)
})

test('a run that fails fails its requests alone', async () => {
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

test('keys run side by side, so many at once', async () => {
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
