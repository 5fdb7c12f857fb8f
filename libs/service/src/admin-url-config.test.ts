import { expect, test } from '@jest/globals'
import { readAdminUrl } from './admin-url-config.ts'

test.each([
  [undefined, undefined],
  ['https://admin.example', 'https://admin.example'],
  ['http://127.0.0.1:3008/', 'http://127.0.0.1:3008'],
])('readAdminUrl: %j, %j', (value, expected) => {
  expect(readAdminUrl(value === undefined ? {} : { SVC_ADMIN_URL: value })).toBe(expected)
})

test.each([
  'admin.example',
  'ftp://admin.example',
  'https://admin.example/admin',
  'https://Admin.example',
  'https://user:password@admin.example',
])('readAdminUrl: %s is rejected with the name of the variable', (value) => {
  expect(() => readAdminUrl({ SVC_ADMIN_URL: value })).toThrow('SVC_ADMIN_URL: must be an origin')
})
