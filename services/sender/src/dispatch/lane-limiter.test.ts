import { expect, test } from '@jest/globals'
import { type LaneDemand, LaneLimiter } from './lane-limiter.ts'

const limits = { concurrency: 4, perAccount: 2, perHost: 3, maxBytes: 100 }
const demand = (account: string, host = 'h:25', bytes = 1) => ({
  account,
  gateway: null as string | null,
  host,
  bytes,
  byApi: false,
})

/**
 * Lane limiter with a constant clock, and shorthands that are true if a permit for a submission was
 * granted.
 */
function limiter(options: Partial<typeof limits> = {}, retryBaseMs = 1_000) {
  const lanes = new LaneLimiter({ ...limits, ...options }, retryBaseMs, () => 0)
  return {
    lanes,
    acquires: (each: LaneDemand) => lanes.tryAcquire(each) !== undefined,
    prefetches: (each: LaneDemand) => lanes.tryPrefetch(each) !== undefined,
  }
}

test('LaneLimiter: at the limit per account, admits no more until a permit is released', () => {
  const { lanes, acquires } = limiter()
  const permit = lanes.tryAcquire(demand('a'))
  expect(permit).toBeDefined()
  expect([2, 3].map(() => acquires(demand('a')))).toEqual([true, false])
  expect(lanes.saturated().accounts).toEqual(['a'])
  permit?.[Symbol.dispose]()
  expect(lanes.saturated().accounts).toEqual([])
  expect(acquires(demand('a'))).toBe(true)
})

test('LaneLimiter: at the limits per host and per process, admits no more', () => {
  const { lanes, acquires } = limiter()
  expect(['a', 'b', 'c', 'd'].map((account) => acquires(demand(account)))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(lanes.saturated().hosts).toEqual(['h:25'])
  expect(lanes.suspended().hosts).toEqual([])
  expect(acquires(demand('e', 'other:25'))).toBe(true)
  expect(lanes.capacity).toBe(0)
  expect(acquires(demand('f', 'third:25'))).toBe(false)
})

test('LaneLimiter: bytes in flight are limited, an oversized message runs alone', () => {
  const { lanes, acquires } = limiter()
  const oversized = lanes.tryAcquire(demand('a', 'h:25', 500))
  expect(oversized).toBeDefined()
  expect(acquires(demand('b', 'h:25', 1))).toBe(false)
  oversized?.[Symbol.dispose]()
  expect(acquires(demand('b', 'h:25', 60))).toBe(true)
  expect(acquires(demand('c', 'h:25', 60))).toBe(false)
  expect(acquires(demand('c', 'h:25', 40))).toBe(true)
})

test('LaneLimiter.suspend: saturates the lane, concurrent failures count once', () => {
  const { lanes, acquires } = limiter({}, 10_000)
  acquires(demand('a'))
  expect(lanes.suspend('host', demand('a'))).toBe(10_000)
  expect(lanes.suspend('host', demand('a'))).toBeLessThanOrEqual(10_000)
  expect(lanes.saturated()).toEqual({ accounts: [], gateways: [], hosts: ['h:25'] })
  expect(lanes.suspended()).toEqual({ accounts: [], gateways: [], hosts: ['h:25'] })
  expect(acquires(demand('b'))).toBe(false)
  expect(acquires(demand('b', 'other:25'))).toBe(true)
})

test('LaneLimiter.suspend: doubles with each failure in a row, below three minutes', () => {
  let now = 0
  const lanes = new LaneLimiter(limits, 5_000, () => now)
  const suspensions = Array.from({ length: 60 }, () => {
    const ms = lanes.suspend('host', demand('a'))
    now += ms
    return ms
  })
  expect([1, 2, 3, 6, 60].map((failures) => suspensions[failures - 1])).toEqual([
    5_000, 10_000, 20_000, 160_000, 160_000,
  ])
})

test('LaneLimiter: after a suspension, admits one probe until a message is accepted', () => {
  const { lanes, acquires } = limiter({}, 0)
  lanes.suspend('account', demand('a'))
  expect(acquires(demand('a'))).toBe(true)
  expect(acquires(demand('a'))).toBe(false)
  lanes.recover(demand('a'))
  expect(acquires(demand('a'))).toBe(true)
})

test('LaneLimiter: accounts without a server share no host lane', () => {
  const { lanes, acquires } = limiter()
  for (const account of ['a', 'b', 'c', 'd']) expect(acquires(demand(account, ''))).toBe(true)
  expect(lanes.saturated().hosts).toEqual([])
})

test('LaneLimiter.suspend: failed login at a gateway, suspends the gateway for all accounts', () => {
  const { lanes, acquires } = limiter({}, 10_000)
  const by = (account: string, gateway: string | null) => ({ ...demand(account, 'g:25'), gateway })
  lanes.suspend('account', by('a', 'relay'))
  expect(lanes.saturated()).toEqual({ accounts: [], gateways: ['relay'], hosts: [] })
  expect(acquires(by('b', 'relay'))).toBe(false)
  expect(acquires(by('a', 'other'))).toBe(true)
  expect(acquires(demand('a', 'own:25'))).toBe(true)
})

test('LaneLimiter.suspend: account suspended at its own server, still uses gateways', () => {
  const { lanes, acquires } = limiter({}, 10_000)
  lanes.suspend('account', demand('a'))
  expect(acquires(demand('a'))).toBe(false)
  expect(acquires({ ...demand('a', 'g:25'), gateway: 'relay' })).toBe(true)
})

test('LaneLimiter: with a gateway, limits each account and the host of the gateway', () => {
  const { lanes, acquires } = limiter()
  const by = (account: string) => ({ ...demand(account, 'g:25'), gateway: 'relay' })
  expect(['a', 'a', 'a', 'b', 'c'].map((account) => acquires(by(account)))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ])
  expect(lanes.saturated()).toEqual({ accounts: ['a\nrelay'], gateways: [], hosts: ['g:25'] })
})

test('LanePermit.releaseServer: frees the lanes, but not the capacity of the process', () => {
  const { lanes, acquires } = limiter({ perHost: 1, concurrency: 2 })
  const permit = lanes.tryAcquire(demand('a', 'h:25', 60))
  expect(permit).toBeDefined()
  permit?.releaseServer()
  expect(acquires(demand('b', 'h:25', 60))).toBe(false)
  expect(acquires(demand('b', 'h:25', 40))).toBe(true)
  expect(lanes.capacity).toBe(0)
  permit?.[Symbol.dispose]()
  expect(lanes.capacity).toBe(1)
})

test('LaneLimiter.tryPrefetch: grants permits in fast lanes only, and refills in batches', () => {
  const { lanes, acquires, prefetches } = limiter({ concurrency: 20, perAccount: 1 })
  expect(acquires(demand('a'))).toBe(true)
  expect(prefetches(demand('a'))).toBe(false)
  lanes.recover(demand('a'), 10)
  expect(lanes.saturated().accounts).toEqual([])
  const permits = [1, 2, 3, 4, 5].map(() => lanes.tryPrefetch(demand('a')))
  expect(permits.map((permit) => permit !== undefined)).toEqual([true, true, true, true, false])
  expect(lanes.saturated().accounts).toEqual(['a'])
  const release = () => permits.shift()?.[Symbol.dispose]()
  // The number of prefetched submissions in the lane is still above the lower mark.
  release()
  expect(prefetches(demand('a'))).toBe(false)
  for (let left = 2; left > 0; left--) release()
  expect(lanes.canPrefetch(demand('a'))).toBe(true)
  expect(prefetches(demand('a'))).toBe(true)
  lanes.recover(demand('a'), 10_000)
  expect(prefetches(demand('a'))).toBe(false)
})

test('LaneLimiter.tryPrefetch: with a suspended lane, grants no permit', () => {
  const { lanes, acquires, prefetches } = limiter({}, 0)
  acquires(demand('a'))
  lanes.recover(demand('a'), 10)
  expect(prefetches(demand('a'))).toBe(true)
  expect(lanes.isSuspended(demand('a'))).toBe(false)
  lanes.suspend('host', demand('a'))
  expect(lanes.isSuspended(demand('a'))).toBe(true)
  expect(prefetches(demand('a'))).toBe(false)
})

test('LaneLimiter.tryPrefetch: limits the number, and the bytes to a quarter of maxBytes', () => {
  const { lanes, acquires, prefetches } = limiter()
  for (const account of ['a', 'b']) {
    acquires(demand(account, `${account}:25`))
    lanes.recover(demand(account, `${account}:25`), 10)
  }
  expect(prefetches(demand('a', 'a:25', 26))).toBe(false)
  expect(prefetches(demand('a', 'a:25', 22))).toBe(true)
  expect(prefetches(demand('b', 'b:25', 4))).toBe(false)
  for (let left = 3; left > 0; left--) expect(prefetches(demand('b', 'b:25'))).toBe(true)
  expect(prefetches(demand('b', 'b:25', 0))).toBe(false)
})

test('LaneLimiter: account at a mail API, admits one submission at a time', () => {
  const { lanes, acquires } = limiter()
  const byApi = { ...demand('a', ''), byApi: true }
  const permit = lanes.tryAcquire(byApi)
  expect(acquires(byApi)).toBe(false)
  expect(acquires({ ...byApi, account: 'b' })).toBe(true)
  permit?.releaseServer()
  expect(acquires(byApi)).toBe(true)
})
