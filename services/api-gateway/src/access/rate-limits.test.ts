import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { AddressLimiter } from './rate-limits.ts'

/**
 * Counts one request of an IP address in a rate limiter under test. Returns the rate limit headers
 * of the response, and the `ttl` if the request is rejected.
 */
function countOne(limiter: AddressLimiter, address: string) {
  const headers: Record<string, unknown> = {}
  const response = {
    setHeader: (name: string, value: unknown) => void (headers[name] = value),
    removeHeader: (name: string) => void delete headers[name],
  }
  try {
    limiter.count(address, response as never)
    return { headers }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { headers, kind: error.kind, ttl: error.extras.ttl }
  }
}

test('AddressLimiter: rejects requests above the limit until the window of the address ends', () => {
  let now = 0
  const limiter = new AddressLimiter({ maxPerMinute: 2, clock: () => now })
  const allowed = (remaining: number, reset: number) => ({
    headers: {
      'X-RateLimit-Limit': 2,
      'X-RateLimit-Remaining': remaining,
      'X-RateLimit-Reset': reset,
    },
  })
  expect(countOne(limiter, '192.0.2.1')).toEqual(allowed(1, 60))
  now = 20_000
  expect(countOne(limiter, '192.0.2.1')).toEqual(allowed(0, 40))
  expect(countOne(limiter, '192.0.2.1')).toEqual({
    headers: { 'X-RateLimit-Limit': 2, 'X-RateLimit-Reset': 40 },
    kind: 'rate-limited',
    ttl: 40,
  })
  expect(countOne(limiter, '192.0.2.2')).toEqual(allowed(1, 60))
  now = 60_000
  expect(countOne(limiter, '192.0.2.1')).toEqual(allowed(1, 60))
})

test('AddressLimiter: addresses of one IPv6 /64 share a limit', () => {
  const limiter = new AddressLimiter({ maxPerMinute: 1 })
  countOne(limiter, '2001:db8:1:2::1')
  expect(countOne(limiter, '2001:db8:1:2::2').kind).toBe('rate-limited')
  expect(countOne(limiter, '2001:db8:1:3::1').kind).toBeUndefined()
})

test('AddressLimiter.excess: seconds above the limit, without requests that were taken back', () => {
  let now = 0
  const limiter = new AddressLimiter({ maxPerMinute: 1, clock: () => now })
  expect(limiter.excess('192.0.2.1')).toBeUndefined()
  limiter.forget('192.0.2.1')
  limiter.forget('192.0.2.1')
  expect(limiter.excess('192.0.2.1')).toBeUndefined()
  now = 20_500
  expect(limiter.excess('192.0.2.1')).toBe(40)
  expect(limiter.excess('192.0.2.2')).toBeUndefined()
})

test('AddressLimiter: 0, limits nothing and sets no headers', () => {
  const limiter = new AddressLimiter({ maxPerMinute: 0 })
  for (let n = 0; n < 10; n += 1) expect(countOne(limiter, '192.0.2.1')).toEqual({ headers: {} })
})
