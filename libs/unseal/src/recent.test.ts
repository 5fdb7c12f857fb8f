import { expect, test } from '@jest/globals'
import { Recent } from './recent.ts'

test('what was not used for longest is forgotten when there is no room', () => {
  const recent = new Recent<number>(9)
  for (const [value, name] of ['aaa', 'bbb', 'ccc'].entries()) recent.set(name, value)
  expect(recent.get('aaa')).toBe(0)
  recent.set('d', 3)
  expect(['aaa', 'bbb', 'ccc', 'd'].map((name) => recent.get(name))).toEqual([0, undefined, 2, 3])
})

test('what is replaced or taken out leaves its room', () => {
  const recent = new Recent<number>(6)
  for (let n = 0; n < 10; n++) recent.set('aaa', n)
  recent.set('bbb', 1)
  expect([recent.get('aaa'), recent.get('bbb')]).toEqual([9, 1])
  recent.delete('aaa')
  recent.delete('aaa')
  recent.set('ccc', 2)
  expect([recent.get('bbb'), recent.get('ccc')]).toEqual([1, 2])
  recent.set('longer than the room', 3)
  expect(recent.get('longer than the room')).toBeUndefined()
})
