import { expect, test } from '@jest/globals'
import { hasLargeText, jsonPieces } from './respond.ts'

const long = `${'"\u{1F4EF}\n\u2028'.repeat(200_000)}`

test('jsonPieces: the pieces together are the JSON of the object', () => {
  const result = { a: 1, none: undefined, odd: `x${long}`, even: long, list: [null, { b: '"' }] }
  const pieces = [...jsonPieces(result)]
  expect(JSON.parse(pieces.join(''))).toEqual({ ...result, none: undefined })
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(7 * 512 * 1024)
  expect([...jsonPieces({})].join('')).toBe('{}')
})

test('hasLargeText: only a text of its own counts', () => {
  expect(hasLargeText({ preview: long })).toBe(true)
  expect([{ preview: 'x' }, [], null, 'x', { a: { b: long } }].map(hasLargeText)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ])
})
