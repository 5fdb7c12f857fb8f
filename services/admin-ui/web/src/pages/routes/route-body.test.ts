import { expect, test } from '@jest/globals'
import { headersProblem, headersText, routeBody, sourcesOf } from './route-body.ts'

const values = { name: 'Chat', targetUrl: 'https://chat.example/' }

test('routeBody: empty fields and blank functions become null, headers become names and values', () => {
  expect(routeBody({ ...values, id: '', headers: '' }, { filter: ' \n', map: '' })).toEqual({
    ...values,
    description: null,
    enabled: false,
    customHeaders: [],
    content: { fn: null, map: null },
  })
  const more = { id: 'chat', description: 'Support', enabled: 'true', headers: 'X-A: 1:2\n\nX-B:' }
  expect(
    routeBody({ ...values, ...more }, { filter: 'return true', map: 'return payload' }),
  ).toEqual({
    ...values,
    id: 'chat',
    description: 'Support',
    enabled: true,
    customHeaders: [
      { key: 'X-A', value: '1:2' },
      { key: 'X-B', value: '' },
    ],
    content: { fn: 'return true', map: 'return payload' },
  })
})

test('headersText: masked values come back unchanged, so that the stored values are kept', () => {
  const customHeaders = [
    { key: 'Authorization', value: '******' },
    { key: 'X-B', value: '******' },
  ]
  const headers = headersText(customHeaders)
  expect(headers).toBe('Authorization: ******\nX-B: ******')
  const body = routeBody({ ...values, headers }, { filter: '', map: '' })
  expect(body.customHeaders).toEqual(customHeaders)
})

test.each([
  ['', null],
  ['X-A: 1\n', null],
  ['X-A: 1\nBearer abc', 'Write a name and a colon before the value: Bearer abc'],
  [': value', 'Write a name and a colon before the value: : value'],
])('headersProblem: of %j is %j', (text, expected) => {
  expect(headersProblem(text)).toBe(expected)
})

test('sourcesOf: an absent function is an empty text', () => {
  expect(sourcesOf({ content: { fn: null, map: 'return 1' } })).toEqual({
    filter: '',
    map: 'return 1',
  })
})
