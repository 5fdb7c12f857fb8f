import { expect, jest, test } from '@jest/globals'
import { SingleFlight } from './single-flight.ts'

test('SingleFlight: concurrent calls of a key share one result, other keys do not', async () => {
  const flights = new SingleFlight<string, number>()
  const gate = Promise.withResolvers<number>()
  const work = jest.fn(() => gate.promise)
  const calls = [flights.run('a', work), flights.run('a', work), flights.run('b', work)]
  expect(flights.size).toBe(2)
  expect(flights.inFlight('a')).toBeDefined()
  gate.resolve(1)
  expect(await Promise.all(calls)).toEqual([1, 1, 1])
  expect(work).toHaveBeenCalledTimes(2)
  expect(flights.size).toBe(0)
})

test('SingleFlight: shares an error and then starts again', async () => {
  const flights = new SingleFlight<string, number>()
  const failed = () => Promise.reject(new Error('no'))
  const results = await Promise.allSettled([flights.run('a', failed), flights.run('a', failed)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await flights.run('a', () => Promise.resolve(2))).toBe(2)
})

test('SingleFlight.forget: the next caller starts a new call', async () => {
  const flights = new SingleFlight<string, number>()
  const gate = Promise.withResolvers<number>()
  const old = flights.run('a', () => gate.promise)
  flights.forget('a')
  const second = Promise.withResolvers<number>()
  const next = flights.run('a', () => second.promise)
  gate.resolve(1)
  expect(await old).toBe(1)
  expect(flights.size).toBe(1)
  second.resolve(2)
  expect(await next).toBe(2)
})
