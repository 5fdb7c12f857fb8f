import { expect, test } from '@jest/globals'
import { Directions } from './directions.ts'

test('the first that is heard of is asked for half a minute, then whoever answers next', () => {
  let now = 0
  const directions = new Directions(() => now)
  expect(directions.find('credentials')).toBeUndefined()
  directions.learn('credentials', 'one')
  now = 29_999
  directions.learn('credentials', 'two')
  expect(directions.find('credentials')).toBe('one')
  expect(directions.find('outbox')).toBeUndefined()
  now = 30_000
  expect(directions.find('credentials')).toBeUndefined()
  directions.learn('credentials', 'two')
  expect(directions.find('credentials')).toBe('two')
})

test('one that was forgotten late does not take its successor with it', () => {
  const directions = new Directions()
  directions.learn('credentials', 'one')
  directions.forget('credentials', 'one')
  directions.learn('credentials', 'two')
  directions.forget('credentials', 'one')
  expect(directions.find('credentials')).toBe('two')
})
