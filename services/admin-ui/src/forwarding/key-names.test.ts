import { expect, test } from '@jest/globals'
import { keyNames } from './key-names.ts'

test.each<[string, string[]]>([
  ['{"a":1,"b":{"c":{"d":1},"e":[{"f":1}]}}', ['a', 'b', 'b.c', 'b.e']],
  ['{"list":[{"x":1},{"y":2},3]}', ['list', 'list.x', 'list.y']],
  ['[{"a":1},{"a":2,"b":3}]', ['a', 'b']],
  ['{"__proto__":{"x":1},"a\\u0000\\n\\u202eb":1}', ['__proto__', '__proto__.x', 'ab']],
  ['\ufeff{"a":1}', ['a']],
  ['"text"', []],
  ['null', []],
  ['{"a":', []],
  ['', []],
])('keyNames: %s, %j', (body, names) => {
  expect(keyNames(Buffer.from(body))).toEqual(names)
})

test('keyNames: at most 200 names of 100 characters', () => {
  const body = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`${at}`.padEnd(300, 'x'), { a: 1 }]),
  )
  const names = keyNames(Buffer.from(JSON.stringify(body)))
  expect(names).toHaveLength(200)
  expect(names.every((name) => name.length === 100)).toBe(true)
})

test('keyNames: many inner members hide no member of the first level', () => {
  const inner = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, 1]))
  const names = keyNames(Buffer.from(JSON.stringify({ inner, last: 1 })))
  expect(names).toHaveLength(200)
  expect(names).toEqual(expect.arrayContaining(['inner', 'inner.k0', 'last']))
})
