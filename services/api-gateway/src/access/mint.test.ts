import { expect, test } from '@jest/globals'
import type { Operation } from '@posthorn/contracts/define'
import { allOperations } from '@posthorn/contracts/operations'
import fc from 'fast-check'
import { authorize, type AccessContext } from './authorize.ts'
import { type TokenReach, widened } from './mint.ts'

const unlimited: TokenReach = {
  account: null,
  scopes: ['api'],
  restrictions: null,
  permissions: null,
  expiresAt: null,
}
const addresses = (...addresses: string[]) => ({ restrictions: { addresses } })
const referrers = (...referrers: string[]) => ({ restrictions: { referrers } })
const rate = (maxRequests: number, timeWindow: number) => ({
  restrictions: { rateLimit: { maxRequests, timeWindow } },
})

test.each<[Partial<TokenReach>, Partial<TokenReach>, string[]]>([
  [{}, {}, []],
  [{ scopes: ['api'] }, { scopes: ['imap-proxy', 'smtp'] }, []],
  [{ scopes: ['smtp'] }, { scopes: ['smtp', 'imap-proxy'] }, ['scopes']],
  [{ scopes: ['api'] }, { scopes: ['*'] }, ['scopes']],
  [{ scopes: ['*'] }, { scopes: ['*', 'api'] }, []],
  [{ account: 'a' }, { account: 'a' }, []],
  [{ account: 'a' }, { account: 'b' }, ['account']],
  [{ account: 'a' }, {}, ['account']],
  [{}, { account: 'a' }, []],
  [{ permissions: { actions: ['read'] } }, {}, ['permissions']],
  [
    { permissions: { actions: ['read'] } },
    { permissions: { groups: ['message'] } },
    ['permissions'],
  ],
  [
    { permissions: { actions: ['read'] } },
    { permissions: { actions: ['read'], groups: ['message'] } },
    [],
  ],
  [
    { permissions: { groups: ['message'] } },
    { permissions: { groups: ['message', 'mailbox'] } },
    ['permissions'],
  ],
  [addresses('10.0.0.0/8'), addresses('10.1.0.0/16', '10.2.3.4'), []],
  [addresses('10.0.0.0/8'), addresses('10.0.0.0/7'), ['addresses']],
  [addresses('10.0.0.0/8'), addresses('::1'), ['addresses']],
  [addresses('10.0.0.0/8'), addresses(), ['addresses']],
  [addresses(), {}, []],
  [referrers('https://a.example/*'), referrers('https://a.example/x*'), []],
  [referrers('https://a.example/*'), referrers('https://a.*'), ['referrers']],
  [rate(100, 60), rate(100, 60), []],
  [rate(100, 60), rate(50, 120), []],
  [rate(100, 60), rate(100, 59), ['rateLimit']],
  [rate(100, 60), rate(101, 6000), ['rateLimit']],
  [rate(100, 60), rate(100, 90), ['rateLimit']],
  [rate(100, 60), rate(50, 90), []],
  [rate(100, 60), {}, ['rateLimit']],
  [{ expiresAt: new Date(5) }, { expiresAt: new Date(5) }, []],
  [{ expiresAt: new Date(5) }, { expiresAt: new Date(6) }, ['expires']],
  [{ expiresAt: new Date(5), account: 'a' }, {}, ['account', 'expires']],
])('widened: %j creates %j, wider in %j', (parent, child, expected) => {
  expect(widened({ ...unlimited, ...parent }, { ...unlimited, ...child })).toEqual(expected)
})

const some = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(fc.array(arbitrary, { maxLength: 3 }), { nil: null })
const range = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 28, max: 32 }))
    .map(([last, bits]) => `10.0.0.${last}/${bits}`),
  fc
    .tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 124, max: 128 }))
    .map(([last, bits]) => `fd00::${last}/${bits}`),
)
const pattern = fc
  .string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 4 })
  .filter((text) => text !== '')
const words = <T extends string>(...all: T[]) =>
  fc.uniqueArray(fc.constantFrom(...all), { minLength: 1 })
const reach: fc.Arbitrary<TokenReach> = fc.record({
  account: fc.constantFrom(null, 'x', 'y'),
  scopes: words('api', 'smtp', 'imap-proxy', '*'),
  restrictions: fc.option(fc.record({ addresses: some(range), referrers: some(pattern) }), {
    nil: null,
  }),
  permissions: fc.option(
    fc.oneof(
      fc.record({ actions: words('read', 'write', 'send', 'destructive') }),
      fc.record({
        actions: words('read', 'write', 'send', 'destructive'),
        groups: words('account', 'mailbox', 'message', 'submit'),
      }),
    ),
    { nil: null },
  ),
  expiresAt: fc.constantFrom(null, new Date(1), new Date(2)),
})
const visit: fc.Arbitrary<AccessContext> = fc.record({
  account: fc.constantFrom(undefined, 'x', 'y'),
  address: fc.oneof(
    fc.integer({ min: 0, max: 15 }).map((last) => `10.0.0.${last}`),
    fc.integer({ min: 0, max: 9 }).map((last) => `fd00::${last}`),
  ),
  referrer: fc.option(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 }), {
    nil: undefined,
  }),
})

function admits(token: TokenReach, operation: Operation, visit: AccessContext): boolean {
  try {
    authorize(operation, { id: '', ...token }, visit)
    return true
  } catch {
    return false
  }
}

/**
 * Settings of a creating access token and of a new token, which have some members in common, as is
 * usual.
 */
const pair = fc
  .tuple(
    reach,
    reach,
    fc.subarray(['account', 'scopes', 'restrictions', 'permissions', 'expiresAt'] as const),
  )
  .map(([parent, other, same]) => ({
    parent,
    child: { ...other, ...Object.fromEntries(same.map((key) => [key, parent[key]])) } as TokenReach,
  }))

test('assertNotWider: random tokens, a child never reaches more than its parent', () => {
  let decided = 0
  fc.assert(
    fc.property(
      pair,
      fc.constantFrom(...allOperations),
      visit,
      ({ parent, child }, operation, visit) => {
        if (widened(parent, child).length > 0 || !admits(child, operation, visit)) return
        decided += 1
        expect(admits(parent, operation, visit)).toBe(true)
      },
    ),
    { numRuns: 20_000 },
  )
  expect(decided).toBeGreaterThan(200)
})

test('assertNotWider: identical token, accepted', () => {
  fc.assert(fc.property(reach, (token) => expect(widened(token, token)).toEqual([])))
})

test('assertNotWider: expiry, not later than that of the parent', () => {
  const moment = fc.constantFrom(0, 1, 2, 3)
  const isAlive = ({ expiresAt }: TokenReach, at: number) => expiresAt === null || at < +expiresAt
  fc.assert(
    fc.property(pair, moment, ({ parent, child }, at) => {
      if (widened(parent, child).length > 0 || !isAlive(child, at)) return
      expect(isAlive(parent, at)).toBe(true)
    }),
    { numRuns: 5_000 },
  )
})

test('assertNotWider: rate limit, never exceeded in any window of the parent', () => {
  const limit = fc.record({
    maxRequests: fc.integer({ min: 1, max: 12 }),
    timeWindow: fc.integer({ min: 1, max: 12 }),
  })
  fc.assert(
    fc.property(limit, limit, (rateLimit, own) => {
      // Counts all seconds up to the common multiple of the two rate limit windows.
      const seconds = Array.from({ length: rateLimit.timeWindow * own.timeWindow }, (_, n) => n)
      const touched = new Map<number, Set<number>>()
      for (const second of seconds) {
        const window = Math.floor(second / rateLimit.timeWindow)
        const windows = touched.get(window) ?? new Set()
        touched.set(window, windows.add(Math.floor(second / own.timeWindow)))
      }
      const most = Math.max(...[...touched.values()].map(({ size }) => size)) * own.maxRequests
      const parent = { ...unlimited, restrictions: { rateLimit } }
      const child = { ...unlimited, restrictions: { rateLimit: own } }
      expect(widened(parent, child).length === 0).toBe(most <= rateLimit.maxRequests)
    }),
    { numRuns: 2_000 },
  )
})
