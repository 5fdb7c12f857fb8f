import { expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { createTargetThrottle, type TargetFeedback } from './target-throttle.ts'
import { createLanes, type LaneItem, type LaneSchedulerOptions } from './lane-scheduler.ts'

interface Item extends LaneItem {
  name: string
}

/** Lanes whose work ends when the test says so. */
function setUp(options: Partial<LaneSchedulerOptions<Item>> = {}) {
  const started: string[] = []
  const gates = new Map<string, PromiseWithResolvers<TargetFeedback>>()
  const lanes = createLanes<Item>({
    throttle: createTargetThrottle({
      optionsOf: () => ({ concurrency: 2 }),
      pauseMs: 1,
      maxPauseMs: 1,
    }),
    concurrency: 100,
    maxItems: 100,
    maxBytes: 1_000_000,
    work({ name }, signal) {
      started.push(name)
      const gate = Promise.withResolvers<TargetFeedback>()
      gates.set(name, gate)
      signal.addEventListener('abort', () => gate.resolve({ answered: true }))
      return gate.promise
    },
    ...options,
  })
  const add = (name: string, lane = 'l', chain = name) => lanes.add({ name, lane, chain, bytes: 1 })
  const end = async (name: string, answered = true) => {
    gates.get(name)?.resolve({ answered })
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return { lanes, started, add, end }
}

test('a chain runs one after the other, in order', async () => {
  const { started, add, end } = setUp()
  for (const name of ['a1', 'a2', 'a3']) add(name, 'l', 'a')
  expect(started).toEqual(['a1'])
  await end('a1')
  expect(started).toEqual(['a1', 'a2'])
  await end('a2', false)
  expect(started).toEqual(['a1', 'a2', 'a3'])
})

test('a lane runs so many at once, another lane is not held up by it', async () => {
  const { started, add, end } = setUp()
  for (const name of ['a', 'b', 'c', 'd']) add(name)
  expect(started).toEqual(['a', 'b'])
  add('x', 'other')
  expect(started).toEqual(['a', 'b', 'x'])
  await end('b')
  expect(started).toEqual(['a', 'b', 'x', 'c'])
})

test('the process runs so many at once, and lanes take turns', async () => {
  const { started, add, end } = setUp({ concurrency: 2 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) add(name, 'a')
  for (const name of ['b1', 'b2']) add(name, 'b')
  expect(started).toEqual(['a1', 'a2'])
  await end('a1')
  await end('a2')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3'])
})

test('a lane that failed three times in a row gets one call at a time until one succeeds', async () => {
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

test('lanes share the room there is, and none is left without', () => {
  const { lanes, add } = setUp({ maxItems: 20 })
  for (let n = 0; n < 20; n++) add(`a${n}`, 'a')
  expect(lanes.capacity('a')).toBe(0)
  expect(lanes.capacity('b')).toBe(10)
  for (let n = 0; n < 30; n++) add(`b${n}`, `b${n}`)
  expect(lanes.capacity('new')).toBe(2)
})

test('a lane has room again when its work is done, and says so', async () => {
  const roomy: string[] = []
  const { lanes, add, end } = setUp({ maxItems: 2, onCapacity: (lane) => roomy.push(lane) })
  add('a')
  add('b')
  expect(lanes.capacity('l')).toBe(0)
  await end('a')
  expect(roomy).toEqual(['l'])
  expect(lanes.capacity('l')).toBe(1)
})

test('too many bytes leave each lane the room it needs to go on', () => {
  const { lanes } = setUp({ maxBytes: 10 })
  lanes.add({ name: 'big', lane: 'a', chain: 'big', bytes: 11 })
  expect(lanes.capacity('a')).toBe(1)
  expect(lanes.capacity('b')).toBe(2)
})

test('stopping starts nothing more, waits for what runs and gives back what waits', async () => {
  const { lanes, started, add, end } = setUp()
  for (const name of ['a', 'b', 'c']) add(name)
  add('a2', 'l', 'a')
  const stopped = lanes.stop(10_000)
  await end('a')
  await end('b')
  expect((await stopped).map(({ name }) => name)).toEqual(['a2', 'c'])
  expect(started).toEqual(['a', 'b'])
})

test('stopping aborts what takes too long', async () => {
  const { lanes, add } = setUp()
  add('a')
  expect(await lanes.stop(1)).toEqual([])
})

test('while it is paused nothing starts and nothing more finds room; what runs ends, what is held stays', async () => {
  let paused = false
  const { lanes, started, add, end } = setUp({ paused: () => paused })
  for (const name of ['a', 'b', 'c']) add(name)
  paused = true
  await end('a')
  add('d', 'other')
  expect(started).toEqual(['a', 'b'])
  expect([lanes.capacity('l'), lanes.capacity('new')]).toEqual([0, 0])
  expect(lanes.size).toBe(3)
  paused = false
  lanes.resume()
  expect(started).toEqual(['a', 'b', 'c', 'd'])
})

test('a lane that is left alone starts nothing, has no room, and goes on by itself; another is not held up', async () => {
  let time = 0
  const gate = createTargetThrottle({
    optionsOf: () => ({ concurrency: 2 }),
    pauseMs: 20,
    maxPauseMs: 20,
    now: () => time,
  })
  const { lanes, started, add, end } = setUp({ throttle: gate })
  for (let n = 0; n < 12; n++) add(`${n}`)
  for (let n = 0; n < 10; n++) await end(`${n}`, false)
  const before = started.length
  expect(before).toBeLessThan(12)
  expect(lanes.capacities().get('l')).toBe(0)
  add('x', 'other')
  expect(started.at(-1)).toBe('x')
  time = 20
  await eventually(() => expect(started.length).toBeGreaterThan(before + 1))
  expect(await lanes.stop(1)).toHaveLength(12 - before - 1)
})

test('a lane with a rate starts no more than that', async () => {
  const gate = createTargetThrottle({
    optionsOf: (lane) => (lane === 'l' ? { concurrency: 50, rate: 0.1 } : { concurrency: 50 }),
    pauseMs: 1,
    maxPauseMs: 1,
  })
  const { lanes, started, add } = setUp({ throttle: gate })
  for (const name of ['a', 'b', 'c']) add(name)
  for (const name of ['x', 'y', 'z']) add(name, 'other')
  expect(started).toEqual(['a', 'x', 'y', 'z'])
  expect(await lanes.stop(1)).toHaveLength(2)
})

test('what waits in a chain can be taken out, and frees its room', async () => {
  const { lanes, started, add, end } = setUp()
  for (const name of ['a1', 'a2', 'a3']) add(name, 'l', 'a')
  const room = lanes.capacity('l')
  expect(lanes.removeSuccessors({ name: 'a1', lane: 'l', chain: 'a', bytes: 1 })).toEqual([
    expect.objectContaining({ name: 'a2' }),
    expect.objectContaining({ name: 'a3' }),
  ])
  expect([lanes.size, lanes.capacity('l')]).toEqual([1, room + 2])
  await end('a1')
  add('a4', 'l', 'a')
  expect(started).toEqual(['a1', 'a4'])
})
