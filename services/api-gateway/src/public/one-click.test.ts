import { expect, test } from '@jest/globals'
import { isOneClick } from './one-click.ts'

const multipart = 'multipart/form-data; boundary=x'
const part = (header: string, value: string, end = '\r\n') =>
  ['--x', header, '', value, '--x--', ''].join(end)
const field = 'Content-Disposition: form-data; name="List-Unsubscribe"'

test.each([
  ['URL-encoded', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click', true],
  ['without a content type', undefined, 'List-Unsubscribe=One-Click\r\n', true],
  ['in lower case', undefined, 'List-Unsubscribe=one-click', true],
  ['with another value', undefined, 'List-Unsubscribe=No', false],
  ['empty', undefined, '', false],
  ['multipart', multipart, part(field, 'One-Click'), true],
  ['multipart with LF', multipart, part(field, 'One-Click', '\n'), true],
  ['multipart without quotes', multipart, part(field.replaceAll('"', ''), 'One-Click'), true],
  ['multipart with more headers', multipart, part(`${field}\r\nX-A: 1`, 'One-Click'), true],
  ['multipart, second part', multipart, part('X-A: 1', '1') + part(field, 'One-Click'), true],
  [
    'multipart of another field',
    multipart,
    part(`X-A: name="List-Unsubscribe"`, 'One-Click'),
    false,
  ],
  ['multipart with a later line', multipart, part(field, 'No\r\nOne-Click'), false],
  [
    'multipart with the name in a value',
    multipart,
    part('X-A: 1', `${field}\r\n\r\nOne-Click`),
    false,
  ],
  ['multipart without a part', multipart, 'List-Unsubscribe=One-Click', false],
])('isOneClick: body %s: %s', (...[, type, body, expected]) => {
  expect(isOneClick(type, body)).toBe(expected)
})
