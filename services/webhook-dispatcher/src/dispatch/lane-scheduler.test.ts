import { expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import type { TargetFeedback } from '../attempt/outcome.ts'
import type { LaneItem } from './lane.ts'
import { LaneScheduler, type LaneSchedulerOptions } from './lane-scheduler.ts'
import { TargetThrottle } from './target-throttle.ts'

interface Item extends LaneItem {
  name: string
}

/** Scheduler of webhook deliveries whose items end when the test calls `end`. */
function setUp(options: Partial<LaneSchedulerOptions<Item>> = {}) {
  const started: string[] = []
  const runs = new Map<string, PromiseWithResolvers<TargetFeedback>>()
  const lanes = new LaneScheduler<Item>({
    throttle: new TargetThrottle({
      optionsOf: () => ({ concurrency: 2 }),
      suspendMs: 1,
      maxSuspendMs: 1,
    }),
    concurrency: 100,
    maxItems: 100,
    maxBytes: 1_000_000,
    run({ name }, signal) {
      started.push(name)
      const ended = Promise.withResolvers<TargetFeedback>()
      runs.set(name, ended)
      signal.addEventListener('abort', () => ended.resolve({ responded: true }))
      return ended.promise
    },
    ...options,
  })
  const add = (name: string, lane = 'l', chain = name) => lanes.add({ name, lane, chain, bytes: 1 })
  const end = async (name: string, responded = true) => {
    runs.get(name)?.resolve({ responded })
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return { lanes, started, add, end }
}

test('LaneScheduler: runs a chain serially, in order', async () => {
  const { started, add, end } = setUp()
  for (const name of ['a1', 'a2', 'a3']) add(name, 'l', 'a')
  expect(started).toEqual(['a1'])
  await end('a1')
  expect(started).toEqual(['a1', 'a2'])
  await end('a2', false)
  expect(started).toEqual(['a1', 'a2', 'a3'])
})

test('LaneScheduler: a lane at its limit does not delay another lane', async () => {
  const { started, add, end } = setUp()
  for (const name of ['a', 'b', 'c', 'd']) add(name)
  expect(started).toEqual(['a', 'b'])
  add('x', 'other')
  expect(started).toEqual(['a', 'b', 'x'])
  await end('b')
  expect(started).toEqual(['a', 'b', 'x', 'c'])
})

test('LaneScheduler: limits running items over all lanes, which take turns', async () => {
  const { started, add, end } = setUp({ concurrency: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, 'a')
  for (const name of ['b1', 'b2']) add(name, 'b')
  expect(started).toEqual(['a1', 'a2'])
  await end('a1')
  await end('a2')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('LaneScheduler: after 3 silent calls, runs one item of the lane at a time until a response', async () => {
  const { started, add, end } = setUp()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) add(name)
  await end('a', false)
  await end('b', false)
  await end('c', false)
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  await end('d', false)
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e'])
  await end('e', true)
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g'])
})

test('LaneScheduler.capacity: lanes share it, each has at least its concurrency', () => {
  const { lanes, add } = setUp({ maxItems: 20 })
  for (let n = 0; n < 20; n++) add(`a${n}`, 'a')
  expect(lanes.capacity('a')).toBe(0)
  expect(lanes.capacity('b')).toBe(10)
  for (let n = 0; n < 30; n++) add(`b${n}`, `b${n}`)
  expect(lanes.capacity('new')).toBe(2)
})

test('LaneScheduler: calls onCapacity when a lane has capacity again', async () => {
  const reported: string[] = []
  const { lanes, add, end } = setUp({ maxItems: 2, onCapacity: (lane) => reported.push(lane) })
  add('a')
  add('b')
  expect(lanes.capacity('l')).toBe(0)
  await end('a')
  expect(reported).toEqual(['l'])
  expect(lanes.capacity('l')).toBe(1)
})

test('LaneScheduler.capacity: above maxBytes, only the concurrency of the lane is left', () => {
  const { lanes } = setUp({ maxBytes: 10 })
  lanes.add({ name: 'big', lane: 'a', chain: 'big', bytes: 11 })
  expect(lanes.capacity('a')).toBe(1)
  expect(lanes.capacity('b')).toBe(2)
})

test('LaneScheduler.stop: starts nothing, returns waiting items and the end of running ones', async () => {
  const { lanes, started, add, end } = setUp()
  for (const name of ['a', 'b', 'c']) add(name)
  add('a2', 'l', 'a')
  const { unstarted, ended } = lanes.stop(10_000)
  expect(unstarted.map(({ name }) => name)).toEqual(['a2', 'c'])
  await end('a')
  await end('b')
  expect(await ended).toEqual({ aborted: 0 })
  expect(started).toEqual(['a', 'b'])
})

test('LaneScheduler.stop: aborts running items after the grace period', async () => {
  const { lanes, add } = setUp()
  add('a')
  const { unstarted, ended } = lanes.stop(1)
  expect(unstarted).toEqual([])
  expect(await ended).toEqual({ aborted: 1 })
})

test('LaneScheduler.pause: nothing starts and capacity is 0, running items end, waiting ones stay', async () => {
  const { lanes, started, add, end } = setUp()
  for (const name of ['a', 'b', 'c']) add(name)
  lanes.pause()
  await end('a')
  add('d', 'other')
  expect(started).toEqual(['a', 'b'])
  expect([lanes.capacity('l'), lanes.capacity('new')]).toEqual([0, 0])
  lanes.resume()
  expect(started).toEqual(['a', 'b', 'c', 'd'])
})

test('LaneScheduler: a suspended lane has no capacity and resumes on time; another is not delayed', async () => {
  let time = 0
  const throttle = new TargetThrottle({
    optionsOf: () => ({ concurrency: 2 }),
    suspendMs: 20,
    maxSuspendMs: 20,
    clock: () => time,
  })
  const { lanes, started, add, end } = setUp({ throttle })
  for (let n = 0; n < 12; n++) add(`${n}`)
  for (let n = 0; n < 10; n++) await end(`${n}`, false)
  const before = started.length
  expect(before).toBeLessThan(12)
  expect(lanes.capacities().get('l')).toBe(0)
  add('x', 'other')
  expect(started.at(-1)).toBe('x')
  time = 20
  await eventually(() => expect(started.length).toBeGreaterThan(before + 1))
  expect(lanes.stop(1).unstarted).toHaveLength(12 - before - 1)
})

test('LaneScheduler: starts no more items of a lane than its rate', async () => {
  const throttle = new TargetThrottle({
    optionsOf: (lane) => (lane === 'l' ? { concurrency: 50, rate: 0.1 } : { concurrency: 50 }),
    suspendMs: 1,
    maxSuspendMs: 1,
  })
  const { lanes, started, add } = setUp({ throttle })
  for (const name of ['a', 'b', 'c']) add(name)
  for (const name of ['x', 'y', 'z']) add(name, 'other')
  expect(started).toEqual(['a', 'x', 'y', 'z'])
  expect(lanes.stop(1).unstarted).toHaveLength(2)
})

test('LaneScheduler.removeSuccessors: removes waiting items of a chain and frees their capacity', async () => {
  const { lanes, started, add, end } = setUp()
  for (const name of ['a1', 'a2', 'a3']) add(name, 'l', 'a')
  const capacity = lanes.capacity('l')
  expect(lanes.removeSuccessors({ name: 'a1', lane: 'l', chain: 'a', bytes: 1 })).toEqual([
    expect.objectContaining({ name: 'a2' }),
    expect.objectContaining({ name: 'a3' }),
  ])
  expect(lanes.capacity('l')).toBe(capacity + 2)
  await end('a1')
  add('a4', 'l', 'a')
  expect(started).toEqual(['a1', 'a4'])
})

test('LaneScheduler.removePaused: removes the waiting items of paused lanes, others continue', async () => {
  const paused = new Set<string>()
  const throttle = new TargetThrottle({
    optionsOf: (lane) => ({ concurrency: 1, paused: paused.has(lane) }),
    pausedLanes: () => [...paused],
    suspendMs: 1,
    maxSuspendMs: 1,
  })
  const { lanes, started, add, end } = setUp({ throttle })
  add('a1', 'a', 'chain')
  add('a2', 'a', 'chain')
  add('a3', 'a')
  add('b1', 'b')
  add('b2', 'b')
  paused.add('a')
  expect(lanes.removePaused().map(({ name }) => name)).toEqual(['a2', 'a3'])
  expect([lanes.capacity('a'), lanes.capacities().get('a')]).toEqual([0, 0])
  await end('a1')
  await end('b1')
  expect(started).toEqual(['a1', 'b1', 'b2'])
  paused.delete('a')
  lanes.refresh()
  add('a2', 'a', 'chain')
  add('a3', 'a')
  await end('a2')
  expect(started).toEqual(['a1', 'b1', 'b2', 'a2', 'a3'])
})

test('LaneScheduler.refresh: starts the items that waited while their lane was paused', () => {
  let paused = true
  const throttle = new TargetThrottle({
    optionsOf: () => ({ concurrency: 1, paused }),
    suspendMs: 1,
    maxSuspendMs: 1,
  })
  const { lanes, started, add } = setUp({ throttle })
  add('a')
  expect(started).toEqual([])
  paused = false
  lanes.refresh()
  expect(started).toEqual(['a'])
})
