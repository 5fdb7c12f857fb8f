import { expect, test } from '@jest/globals'
import { LaneLimiter } from './lane-limiter.ts'

const limits = { concurrency: 4, perAccount: 2, perHost: 3, maxBytes: 100 }
const place = (account: string, host = 'h:25', bytes = 1) => ({
  account,
  gateway: null as string | null,
  host,
  bytes,
})

test('an account has its share and no more', () => {
  const lanes = new LaneLimiter(limits, 1_000)
  expect([1, 2, 3].map(() => lanes.tryAcquire(place('a')))).toEqual([true, true, false])
  expect(lanes.saturated().accounts).toEqual(['a'])
  lanes.release(place('a'))
  expect(lanes.saturated().accounts).toEqual([])
  expect(lanes.tryAcquire(place('a'))).toBe(true)
})

test('a server and the process have theirs', () => {
  const lanes = new LaneLimiter(limits, 1_000)
  expect(['a', 'b', 'c', 'd'].map((account) => lanes.tryAcquire(place(account)))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(lanes.saturated().hosts).toEqual(['h:25'])
  expect(lanes.tryAcquire(place('e', 'other:25'))).toBe(true)
  expect(lanes.capacity).toBe(0)
  expect(lanes.tryAcquire(place('f', 'third:25'))).toBe(false)
})

test('messages in hand have a bound in bytes, but one alone always goes', () => {
  const lanes = new LaneLimiter(limits, 1_000)
  expect(lanes.tryAcquire(place('a', 'h:25', 500))).toBe(true)
  expect(lanes.tryAcquire(place('b', 'h:25', 1))).toBe(false)
  lanes.release(place('a', 'h:25', 500))
  expect(lanes.tryAcquire(place('b', 'h:25', 60))).toBe(true)
  expect(lanes.tryAcquire(place('c', 'h:25', 60))).toBe(false)
  expect(lanes.tryAcquire(place('c', 'h:25', 40))).toBe(true)
})

test('a suspended lane is closed, and failures of the same moment count once', () => {
  const lanes = new LaneLimiter(limits, 10_000)
  lanes.tryAcquire(place('a'))
  expect(lanes.suspend('host', place('a'))).toBe(10_000)
  expect(lanes.suspend('host', place('a'))).toBeLessThanOrEqual(10_000)
  expect(lanes.saturated()).toEqual({ accounts: [], gateways: [], hosts: ['h:25'] })
  expect(lanes.tryAcquire(place('b'))).toBe(false)
  expect(lanes.tryAcquire(place('b', 'other:25'))).toBe(true)
})

test('after a suspension one message goes first, and success opens the lane', () => {
  const lanes = new LaneLimiter(limits, 0)
  lanes.suspend('account', place('a'))
  expect(lanes.tryAcquire(place('a'))).toBe(true)
  expect(lanes.tryAcquire(place('a'))).toBe(false)
  lanes.recover(place('a'))
  expect(lanes.tryAcquire(place('a'))).toBe(true)
})

test('a message of an account without a server never waits for others of its kind', () => {
  const lanes = new LaneLimiter(limits, 1_000)
  for (const account of ['a', 'b', 'c', 'd'])
    expect(lanes.tryAcquire(place(account, ''))).toBe(true)
  expect(lanes.saturated().hosts).toEqual([])
})

test('a gateway that lets nobody in closes for all accounts, and their own servers stay open', () => {
  const lanes = new LaneLimiter(limits, 10_000)
  const by = (account: string, gateway: string | null) => ({ ...place(account, 'g:25'), gateway })
  lanes.suspend('account', by('a', 'relay'))
  expect(lanes.saturated()).toEqual({ accounts: [], gateways: ['relay'], hosts: [] })
  expect(lanes.tryAcquire(by('b', 'relay'))).toBe(false)
  expect(lanes.tryAcquire(by('a', 'other'))).toBe(true)
  expect(lanes.tryAcquire(place('a', 'own:25'))).toBe(true)
})

test('an account whose own server refuses it is sent for by gateways', () => {
  const lanes = new LaneLimiter(limits, 10_000)
  lanes.suspend('account', place('a'))
  expect(lanes.tryAcquire(place('a'))).toBe(false)
  expect(lanes.tryAcquire({ ...place('a', 'g:25'), gateway: 'relay' })).toBe(true)
})

test('one account has its share of a gateway, and the gateway its share of the process', () => {
  const lanes = new LaneLimiter(limits, 1_000)
  const by = (account: string) => ({ ...place(account, 'g:25'), gateway: 'relay' })
  expect(['a', 'a', 'a', 'b', 'c'].map((account) => lanes.tryAcquire(by(account)))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ])
  expect(lanes.saturated()).toEqual({ accounts: ['a\nrelay'], gateways: [], hosts: ['g:25'] })
})

test('a server that has answered is free for the next, before the process is', () => {
  const lanes = new LaneLimiter({ ...limits, perHost: 1, concurrency: 2 }, 1_000)
  expect(lanes.tryAcquire(place('a', 'h:25', 60))).toBe(true)
  lanes.releaseServer(place('a', 'h:25', 60))
  expect(lanes.tryAcquire(place('b', 'h:25', 60))).toBe(false)
  expect(lanes.tryAcquire(place('b', 'h:25', 40))).toBe(true)
  expect(lanes.capacity).toBe(0)
  lanes.releaseProcess(place('a', 'h:25', 60))
  expect(lanes.capacity).toBe(1)
})

test('messages wait for a place only where one was taken quickly, and in portions', () => {
  const lanes = new LaneLimiter({ ...limits, concurrency: 20, perAccount: 1 }, 1_000)
  expect(lanes.tryAcquire(place('a'))).toBe(true)
  expect(lanes.tryPrefetch(place('a'))).toBe(false)
  lanes.recover(place('a'), 10)
  expect(lanes.saturated().accounts).toEqual([])
  expect([1, 2, 3, 4, 5].map(() => lanes.tryPrefetch(place('a')))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ])
  expect(lanes.saturated().accounts).toEqual(['a'])
  // Not one by one.
  lanes.releasePrefetch(place('a'))
  expect(lanes.tryPrefetch(place('a'))).toBe(false)
  for (let left = 2; left > 0; left--) lanes.releasePrefetch(place('a'))
  expect(lanes.wantsMore(place('a'))).toBe(true)
  expect(lanes.tryPrefetch(place('a'))).toBe(true)
  lanes.recover(place('a'), 10_000)
  expect(lanes.tryPrefetch(place('a'))).toBe(false)
})

test('nothing waits for a lane in trouble', () => {
  const lanes = new LaneLimiter(limits, 0)
  lanes.tryAcquire(place('a'))
  lanes.recover(place('a'), 10)
  expect(lanes.tryPrefetch(place('a'))).toBe(true)
  expect(lanes.isSuspended(place('a'))).toBe(false)
  lanes.suspend('host', place('a'))
  expect(lanes.isSuspended(place('a'))).toBe(true)
  expect(lanes.tryPrefetch(place('a'))).toBe(false)
})

test('what waits is bound in number, and in bytes by a quarter of what may be in hand', () => {
  const lanes = new LaneLimiter(limits, 1_000)
  for (const account of ['a', 'b']) {
    lanes.tryAcquire(place(account, `${account}:25`))
    lanes.recover(place(account, `${account}:25`), 10)
  }
  expect(lanes.tryPrefetch(place('a', 'a:25', 26))).toBe(false)
  expect(lanes.tryPrefetch(place('a', 'a:25', 22))).toBe(true)
  expect(lanes.tryPrefetch(place('b', 'b:25', 4))).toBe(false)
  for (let left = 3; left > 0; left--) expect(lanes.tryPrefetch(place('b', 'b:25'))).toBe(true)
  expect(lanes.tryPrefetch(place('b', 'b:25', 0))).toBe(false)
})
