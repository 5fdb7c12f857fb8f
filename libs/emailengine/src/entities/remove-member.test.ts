import { expect, test } from '@jest/globals'
import { removeMember } from './remove-member.ts'

test.each([
  ['a member', { path: 'a', value: { a: 1, b: 2 }, expected: { b: 2 } }],
  ['a nested member', { path: 'a.b', value: { a: { b: 1, c: 2 } }, expected: { a: { c: 2 } } }],
  ['a member with dots', { path: 'a.b.c', value: { a: { 'b.c': 1 } }, expected: { a: {} } }],
  ['a member with an empty name', { path: 'a.', value: { a: { '': 1 } }, expected: { a: {} } }],
  [
    'an element of a list',
    { path: 'a.1.b', value: { a: [1, { b: 1 }, 3] }, expected: { a: [1, 3] } },
  ],
])('removeMember: removes %s', (_name, { path, value, expected }) => {
  expect(removeMember(value, path)).toBe(true)
  expect(value).toEqual(expected)
})

test.each(['b', 'a.c', 'a.b.c', '', 'toString'])(
  'removeMember: without %p, returns false',
  (path) => {
    const value = { a: { b: 1 } }
    expect(removeMember(value, path)).toBe(false)
    expect(value).toEqual({ a: { b: 1 } })
  },
)
