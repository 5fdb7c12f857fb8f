import { expect, test } from '@jest/globals'
import { removeMember } from './remove-member.ts'

test.each([
  ['a member', 'a', { a: 1, b: 2 }, { b: 2 }],
  ['a nested member', 'a.b', { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
  ['a member with dots', 'a.b.c', { a: { 'b.c': 1 } }, { a: {} }],
  ['a member with an empty name', 'a.', { a: { '': 1 } }, { a: {} }],
  ['an element of a list', 'a.1.b', { a: [1, { b: 1 }, 3] }, { a: [1, 3] }],
])('removeMember: removes %s', (_name, path, value, expected) => {
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
