import { expect, test } from '@jest/globals'
import type { Settings } from '@posthorn/contracts'
import { chooseNetworkPath } from './network-path.ts'

const nothing = { account: 'a', proxy: null, localAddress: null, accountProxy: null }
const four = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
const settings = (more: Settings = {}): Settings => ({ localAddresses: four, ...more })

test('nothing said, nothing special', () => {
  expect(chooseNetworkPath(nothing, {})).toEqual({ localAddresses: [] })
  expect(chooseNetworkPath(nothing, settings())).toEqual({ localAddresses: [] })
  expect(chooseNetworkPath(nothing, settings({ smtpStrategy: 'default' }))).toEqual({
    localAddresses: [],
  })
})

test.each([
  ['the message', { proxy: 'socks://m', accountProxy: 'socks://a' }, 'socks://m'],
  ['the account', { accountProxy: 'socks://a' }, 'socks://a'],
  ['everybody', {}, 'socks://all'],
])('the proxy of %s', (_whose, wishes, proxy) => {
  const all = { proxyEnabled: true, proxyUrl: 'socks://all' }
  expect(chooseNetworkPath({ ...nothing, ...wishes }, all)).toMatchObject({ proxy })
})

test.each([
  { proxyUrl: 'socks://all' },
  { proxyEnabled: true },
  { proxyEnabled: true, proxyUrl: '' },
])('no proxy for everybody: %j', (given) => {
  expect(chooseNetworkPath(nothing, given)).toEqual({ localAddresses: [] })
})

test('an account keeps its dedicated address, and another takes over only what is gone', () => {
  const strategy = { smtpStrategy: 'dedicated' } as const
  const accounts = Array.from({ length: 200 }, (_, n) => `account-${n}`)
  const firstOf = (account: string, localAddresses: string[]) =>
    chooseNetworkPath({ ...nothing, account }, { ...strategy, localAddresses }).localAddresses[0]
  const before = accounts.map((account) => firstOf(account, four))
  expect(accounts.map((account) => firstOf(account, four.toReversed()))).toEqual(before)
  for (const address of four)
    expect(before.filter((one) => one === address).length).toBeGreaterThan(20)
  const after = accounts.map((account) => firstOf(account, four.slice(1)))
  for (const [index, address] of before.entries())
    if (address !== four[0]) expect(after[index]).toBe(address)
})

test('random takes any', () => {
  const values = [0.9, 0.1, 0.5, 0.7]
  const way = chooseNetworkPath(
    nothing,
    settings({ smtpStrategy: 'random' }),
    () => values.shift() ?? 0,
  )
  expect(way.localAddresses).toEqual(['192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.1'])
})

test('a message has the address it asks for if it is ours, else what there is', () => {
  expect(chooseNetworkPath({ ...nothing, localAddress: '192.0.2.3' }, settings())).toEqual({
    localAddresses: ['192.0.2.3'],
    requestedLocalAddress: '192.0.2.3',
  })
  expect(chooseNetworkPath({ ...nothing, localAddress: '192.0.2.9' }, settings())).toEqual({
    localAddresses: [],
    requestedLocalAddress: '192.0.2.9',
  })
  const spelled = chooseNetworkPath(
    { ...nothing, localAddress: '2001:DB8:0:0::1' },
    { localAddresses: ['2001:db8::1'] },
  )
  expect(spelled).toEqual({ localAddresses: ['2001:db8::1'], requestedLocalAddress: '2001:db8::1' })
})

test('where the address it asks for cannot be had, the strategy goes on', () => {
  const way = chooseNetworkPath(
    { ...nothing, localAddress: '192.0.2.3' },
    settings({ smtpStrategy: 'dedicated' }),
  )
  expect(way.localAddresses[0]).toBe('192.0.2.3')
  expect(way.localAddresses.toSorted()).toEqual(four)
})
