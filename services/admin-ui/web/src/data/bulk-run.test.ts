import { expect, test } from '@jest/globals'
import { type BulkProgress, runForEach } from './bulk-run.ts'

test('runForEach: a failed account does not stop the others', async () => {
  const seen: BulkProgress[] = []
  const run = (account: string) =>
    account === 'b' ? Promise.reject(new Error('refused')) : Promise.resolve()
  const result = await runForEach(['a', 'b', 'c'], run, {
    signal: new AbortController().signal,
    onProgress: (progress) => seen.push(progress),
  })
  expect(result).toEqual({ done: 3, total: 3, failures: [['b', 'refused']] })
  expect(seen.map(({ done }) => done)).toEqual([0, 1, 2, 3])
})

test('runForEach: after a cancellation, starts no further account', async () => {
  const controller = new AbortController()
  const started: string[] = []
  const run = (account: string) => {
    started.push(account)
    controller.abort()
    return Promise.resolve()
  }
  const { done } = await runForEach(['a', 'b'], run, {
    signal: controller.signal,
    onProgress: () => undefined,
  })
  expect(started).toEqual(['a'])
  expect(done).toBe(1)
})
