import { expect, test } from '@jest/globals'
import { redactUrl, splitCredentials } from './url.ts'

test('splitCredentials: URL with a login, returns Basic authorization', () => {
  expect(splitCredentials('https://user:pass@hooks.example/in?a=1')).toEqual({
    url: 'https://hooks.example/in?a=1',
    authorization: `Basic ${Buffer.from('user:pass').toString('base64')}`,
  })
})

test.each([
  ['https://u%40x:p%3A%2F@h.example/', 'u@x:p:/'],
  ['https://user@h.example/', 'user:'],
  ['https://:secret@h.example/', ':secret'],
  ['https://ü:ß@h.example/', 'ü:ß'],
  ['https://u:100%25@h.example/', 'u:100%'],
  ['https://u:100%@h.example/', 'u:100%'],
  ['https://u:50%off:%40home@h.example/', 'u:50%off:@home'],
])('splitCredentials: login of %s is %s', (url, credentials) => {
  const { authorization = '' } = splitCredentials(url)
  expect(Buffer.from(authorization.slice('Basic '.length), 'base64').toString()).toBe(credentials)
})

test('splitCredentials: URL without a login, returns no authorization', () => {
  expect(splitCredentials('http://h.example/x')).toEqual({ url: 'http://h.example/x' })
})

test.each([
  ['https://user:pass@h.example/in', 'https://***@h.example/in'],
  ['https://h.example:8443/in?token=secret#x', 'https://h.example:8443/in?***'],
  ['not an address', '(not a URL)'],
])('redactUrl: %s becomes %s', (url, logged) => {
  expect(redactUrl(url)).toBe(logged)
})
