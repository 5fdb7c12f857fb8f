import { expect, test } from '@jest/globals'
import { Lanes } from './lanes.ts'

const limits = { concurrency: 4, perAccount: 2, perHost: 3, maxBytes: 100 }
const place = (account: string, host = 'h:25', bytes = 1) => ({
  account,
  gateway: null as string | null,
  host,
  bytes,
})

test('an account has its share and no more', () => {
  const lanes = new Lanes(limits, 1_000)
  expect([1, 2, 3].map(() => lanes.tryEnter(place('a')))).toEqual([true, true, false])
  expect(lanes.closed().accounts).toEqual(['a'])
  lanes.leave(place('a'))
  expect(lanes.closed().accounts).toEqual([])
  expect(lanes.tryEnter(place('a'))).toBe(true)
})

test('a server and the process have theirs', () => {
  const lanes = new Lanes(limits, 1_000)
  expect(['a', 'b', 'c', 'd'].map((account) => lanes.tryEnter(place(account)))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(lanes.closed().hosts).toEqual(['h:25'])
  expect(lanes.tryEnter(place('e', 'other:25'))).toBe(true)
  expect(lanes.free).toBe(0)
  expect(lanes.tryEnter(place('f', 'third:25'))).toBe(false)
})

test('messages in hand have a bound in bytes, but one alone always goes', () => {
  const lanes = new Lanes(limits, 1_000)
  expect(lanes.tryEnter(place('a', 'h:25', 500))).toBe(true)
  expect(lanes.tryEnter(place('b', 'h:25', 1))).toBe(false)
  lanes.leave(place('a', 'h:25', 500))
  expect(lanes.tryEnter(place('b', 'h:25', 60))).toBe(true)
  expect(lanes.tryEnter(place('c', 'h:25', 60))).toBe(false)
  expect(lanes.tryEnter(place('c', 'h:25', 40))).toBe(true)
})

test('a suspended lane is closed, and failures of the same moment count once', () => {
  const lanes = new Lanes(limits, 10_000)
  lanes.tryEnter(place('a'))
  expect(lanes.suspend('host', place('a'))).toBe(10_000)
  expect(lanes.suspend('host', place('a'))).toBeLessThanOrEqual(10_000)
  expect(lanes.closed()).toEqual({ accounts: [], gateways: [], hosts: ['h:25'] })
  expect(lanes.tryEnter(place('b'))).toBe(false)
  expect(lanes.tryEnter(place('b', 'other:25'))).toBe(true)
})

test('after a suspension one message goes first, and success opens the lane', () => {
  const lanes = new Lanes(limits, 0)
  lanes.suspend('account', place('a'))
  expect(lanes.tryEnter(place('a'))).toBe(true)
  expect(lanes.tryEnter(place('a'))).toBe(false)
  lanes.recover(place('a'))
  expect(lanes.tryEnter(place('a'))).toBe(true)
})

test('a message of an account without a server never waits for others of its kind', () => {
  const lanes = new Lanes(limits, 1_000)
  for (const account of ['a', 'b', 'c', 'd']) expect(lanes.tryEnter(place(account, ''))).toBe(true)
  expect(lanes.closed().hosts).toEqual([])
})

test('a gateway that lets nobody in closes for all accounts, and their own servers stay open', () => {
  const lanes = new Lanes(limits, 10_000)
  const by = (account: string, gateway: string | null) => ({ ...place(account, 'g:25'), gateway })
  lanes.suspend('account', by('a', 'relay'))
  expect(lanes.closed()).toEqual({ accounts: [], gateways: ['relay'], hosts: [] })
  expect(lanes.tryEnter(by('b', 'relay'))).toBe(false)
  expect(lanes.tryEnter(by('a', 'other'))).toBe(true)
  expect(lanes.tryEnter(place('a', 'own:25'))).toBe(true)
})

test('an account whose own server refuses it is sent for by gateways', () => {
  const lanes = new Lanes(limits, 10_000)
  lanes.suspend('account', place('a'))
  expect(lanes.tryEnter(place('a'))).toBe(false)
  expect(lanes.tryEnter({ ...place('a', 'g:25'), gateway: 'relay' })).toBe(true)
})

test('one account has its share of a gateway, and the gateway its share of the process', () => {
  const lanes = new Lanes(limits, 1_000)
  const by = (account: string) => ({ ...place(account, 'g:25'), gateway: 'relay' })
  expect(['a', 'a', 'a', 'b', 'c'].map((account) => lanes.tryEnter(by(account)))).toEqual([
    true,
    true,
    false,
    true,
    false,
  ])
  expect(lanes.closed()).toEqual({ accounts: ['a\nrelay'], gateways: [], hosts: ['g:25'] })
})

test('a server that has answered is free for the next, before the process is', () => {
  const lanes = new Lanes({ ...limits, perHost: 1, concurrency: 2 }, 1_000)
  expect(lanes.tryEnter(place('a', 'h:25', 60))).toBe(true)
  lanes.leaveServer(place('a', 'h:25', 60))
  expect(lanes.tryEnter(place('b', 'h:25', 60))).toBe(false)
  expect(lanes.tryEnter(place('b', 'h:25', 40))).toBe(true)
  expect(lanes.free).toBe(0)
  lanes.leaveProcess(place('a', 'h:25', 60))
  expect(lanes.free).toBe(1)
})

test('messages wait for a place only where one was taken quickly, and in portions', () => {
  const lanes = new Lanes({ ...limits, concurrency: 20, perAccount: 1 }, 1_000)
  expect(lanes.tryEnter(place('a'))).toBe(true)
  expect(lanes.tryWait(place('a'))).toBe(false)
  lanes.recover(place('a'), 10)
  expect(lanes.closed().accounts).toEqual([])
  expect([1, 2, 3, 4, 5].map(() => lanes.tryWait(place('a')))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ])
  expect(lanes.closed().accounts).toEqual(['a'])
  // Not one by one.
  lanes.leaveWait(place('a'))
  expect(lanes.tryWait(place('a'))).toBe(false)
  for (let left = 2; left > 0; left--) lanes.leaveWait(place('a'))
  expect(lanes.wantsMore(place('a'))).toBe(true)
  expect(lanes.tryWait(place('a'))).toBe(true)
  lanes.recover(place('a'), 10_000)
  expect(lanes.tryWait(place('a'))).toBe(false)
})

test('nothing waits for a lane in trouble', () => {
  const lanes = new Lanes(limits, 0)
  lanes.tryEnter(place('a'))
  lanes.recover(place('a'), 10)
  expect(lanes.tryWait(place('a'))).toBe(true)
  expect(lanes.isTroubled(place('a'))).toBe(false)
  lanes.suspend('host', place('a'))
  expect(lanes.isTroubled(place('a'))).toBe(true)
  expect(lanes.tryWait(place('a'))).toBe(false)
})

test('what waits is bound in number, and in bytes by a quarter of what may be in hand', () => {
  const lanes = new Lanes(limits, 1_000)
  for (const account of ['a', 'b']) {
    lanes.tryEnter(place(account, `${account}:25`))
    lanes.recover(place(account, `${account}:25`), 10)
  }
  expect(lanes.tryWait(place('a', 'a:25', 26))).toBe(false)
  expect(lanes.tryWait(place('a', 'a:25', 22))).toBe(true)
  expect(lanes.tryWait(place('b', 'b:25', 4))).toBe(false)
  for (let left = 3; left > 0; left--) expect(lanes.tryWait(place('b', 'b:25'))).toBe(true)
  expect(lanes.tryWait(place('b', 'b:25', 0))).toBe(false)
})
