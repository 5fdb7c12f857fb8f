import { expect, test } from '@jest/globals'
import { UsageError } from '../../exit-codes.ts'
import { requestOf } from './create-token.ts'
import { rateLimit } from './rate-limit.ts'

test('requestOf: without options, an unlimited token for the API', () => {
  expect(requestOf({})).toEqual({})
})

test('requestOf: permissions and restrictions contain the given members only', () => {
  const options = { scopes: ['smtp'], actions: ['read'], addresses: ['::1'], url: 'https://x' }
  expect(requestOf(options)).toEqual({
    scopes: ['smtp'],
    permissions: { actions: ['read'] },
    restrictions: { addresses: ['::1'] },
  })
})

test('rateLimit: requests per seconds', () => {
  expect(rateLimit('100/60')).toEqual({ maxRequests: 100, timeWindow: 60 })
  for (const text of ['100', '0/60', '1/0', '1.5/2', '100/60/1'])
    expect(() => rateLimit(text)).toThrow(UsageError)
})
