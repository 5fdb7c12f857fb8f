import { expect, test } from '@jest/globals'
import { formatQuery, pageOf, parseQuery, returnPath } from './query-text.ts'

test('formatQuery: leaves out empty values, and parseQuery reads the result', () => {
  const text = formatQuery({ query: 'a&b=c', state: '', page: undefined, from: '2' })
  expect(text).toBe('?query=a%26b%3Dc&from=2')
  expect(parseQuery(text)).toEqual({ query: 'a&b=c', from: '2' })
  expect(formatQuery({})).toBe('')
})

test.each([
  [{}, 0],
  [{ page: '3' }, 2],
  [{ page: '0' }, 0],
  [{ page: 'x' }, 0],
])('pageOf: %j is page %i', (query, expected) => {
  expect(pageOf(query as Record<string, string>)).toBe(expected)
})

test.each([
  ['/accounts?state=connected', '/accounts?state=connected'],
  ['//evil.example/', '/'],
  ['/\\evil.example', '/'],
  ['https://evil.example', '/'],
  ['/sign-in?return=/x', '/'],
  [undefined, '/'],
])('returnPath: %p becomes %p', (value, expected) => {
  expect(returnPath(value)).toBe(expected)
})
