import { expect, test } from '@jest/globals'
import { keyNames } from './key-names.ts'

test.each<[string, string[]]>([
  ['{"a":1,"b":{"c":{"d":1},"e":[{"f":1}]}}', ['a', 'b', 'b.c', 'b.e']],
  ['{"list":[{"x":1},{"y":2},3]}', ['list', 'list.x', 'list.y']],
  ['[{"a":1},{"a":2,"b":3}]', ['a', 'b']],
  ['{"__proto__":{"x":1},"a\\u0000\\n\\u202eb":1}', ['__proto__', '__proto__.x', 'ab']],
  ['"text"', []],
  ['null', []],
  ['{"a":', []],
  ['', []],
])('keyNames: %s, %j', (body, names) => {
  expect(keyNames(Buffer.from(body))).toEqual(names)
})

test('keyNames: at most 50 names of 100 characters', () => {
  const body = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`${at}`.padEnd(300, 'x'), { a: 1 }]),
  )
  const names = keyNames(Buffer.from(JSON.stringify(body)))
  expect(names).toHaveLength(50)
  expect(names.every((name) => name.length === 100)).toBe(true)
})
