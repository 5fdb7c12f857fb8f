import { describe, expect, test } from '@jest/globals'
import { countAvailable, fairShare, resumeIfAlone, type WorkerLoad } from './fair-share.ts'

const load = (change: Partial<WorkerLoad> = {}): WorkerLoad => ({
  stopping: false,
  refusing: false,
  shards: 0,
  ...change,
})

describe('fairShare', () => {
  test('equal parts that cover all shards', () => {
    expect(fairShare(load(), [load()])).toBe(256)
    for (const count of [2, 3, 5, 7, 100]) {
      const workers = Array.from({ length: count }, () => load())
      expect(fairShare(load(), workers) * count).toBeGreaterThanOrEqual(256)
    }
    expect(fairShare(load(), [load(), load(), load()])).toBe(86)
  })

  test('a stopping worker has no share, the others have its part', () => {
    const stopping = load({ stopping: true, shards: 128 })
    const other = load({ shards: 128 })
    expect(fairShare(stopping, [stopping, other])).toBe(0)
    expect(fairShare(other, [stopping, other])).toBe(256)
  })

  test('a refusing worker keeps its shards up to an equal part, the others have the rest', () => {
    const refusing = load({ refusing: true, shards: 40 })
    const other = load({ shards: 60 })
    const workers = [refusing, other, load()]
    expect(fairShare(refusing, workers)).toBe(40)
    expect(fairShare(other, workers)).toBe(108)
    const full = load({ refusing: true, shards: 200 })
    expect(fairShare(full, [full, other])).toBe(128)
    expect(fairShare(other, [full, other])).toBe(128)
  })

  test('all workers refuse: none claims more', () => {
    const workers = [load({ refusing: true, shards: 10 }), load({ refusing: true, shards: 20 })]
    expect(workers.map((worker) => fairShare(worker, workers))).toEqual([10, 20])
  })
})

test('resumeIfAlone: a released worker counts as running only without a running worker', () => {
  const worker = (id: string, stopping: boolean) => ({ ...load({ stopping }), id, lends: true })
  const [released, other] = [worker('a', true), worker('b', true)]
  const counted = resumeIfAlone([released, other], 'a')
  expect(counted.map(({ stopping }) => stopping)).toEqual([false, true])
  expect(fairShare(counted[0] ?? load(), counted)).toBe(256)
  const running = [released, worker('b', false)]
  expect(resumeIfAlone(running, 'a')).toEqual(running)
})

describe('countAvailable', () => {
  test('shards that no live worker holds', () => {
    const self = load({ shards: 10 })
    expect(countAvailable(self, [self, load({ shards: 100 })])).toBe(146)
  })

  test('shards above the fair shares of the others', () => {
    const self = load()
    expect(countAvailable(self, [self, load({ shards: 256 })])).toBe(128)
    const stopping = load({ stopping: true, shards: 100 })
    expect(countAvailable(self, [self, load({ shards: 156 }), stopping])).toBe(128)
  })

  test('the smallest of three equal parts: none', () => {
    const self = load({ shards: 84 })
    expect(countAvailable(self, [self, load({ shards: 86 }), load({ shards: 86 })])).toBe(0)
  })
})
