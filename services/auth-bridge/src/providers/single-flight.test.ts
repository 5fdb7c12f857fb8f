import { expect, test } from '@jest/globals'
import { SingleFlight } from './single-flight.ts'

test('five hundred questions at once are asked once', async () => {
  const flights = new SingleFlight<number>({ now: () => 0 })
  let asked = 0
  const ask = async () => {
    asked += 1
    await Promise.resolve()
    return { value: asked, until: 1 }
  }
  const answers = await Promise.all(Array.from({ length: 500 }, () => flights.get('a', ask)))
  expect(new Set(answers)).toEqual(new Set([1]))
  expect(await flights.get('a', ask)).toBe(1)
  expect(await flights.get('b', ask)).toBe(2)
})

test('an answer is asked for again after its end, and a failure at once', async () => {
  let now = 0
  const flights = new SingleFlight<string>({ now: () => now })
  await flights.get('a', () => Promise.resolve({ value: 'old', until: 10 }))
  now = 10
  await expect(flights.get('a', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect(await flights.get('a', () => Promise.resolve({ value: 'new', until: 20 }))).toBe('new')
})

test('an answer that was on its way when it was forgotten is not kept', async () => {
  const flights = new SingleFlight<string>({ now: () => 0 })
  const until = 1
  const late = Promise.withResolvers<{ value: string; until: number }>()
  const first = flights.get('a', () => late.promise)
  flights.forget()
  late.resolve({ value: 'stale', until })
  expect(await first).toBe('stale')
  expect(await flights.get('a', () => Promise.resolve({ value: 'fresh', until }))).toBe('fresh')
})

test('no more answers are kept than there is room for', async () => {
  const flights = new SingleFlight<string>({ maxKept: 2, now: () => 0 })
  const answer = (value: string) => () => Promise.resolve({ value, until: 1 })
  for (const key of ['a', 'b', 'c']) await flights.get(key, answer('first'))
  expect(await flights.get('a', answer('second'))).toBe('second')
  expect(await flights.get('c', answer('second'))).toBe('first')
})
