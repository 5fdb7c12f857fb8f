import { expect, test } from '@jest/globals'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { chooseNetworkPath } from './destination.ts'

const preferences = { account: 'a', proxy: null, localAddress: null, accountProxy: null }
const four = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']
const settings = (more: Settings = {}): Settings => ({ localAddresses: four, ...more })

test('chooseNetworkPath: no preferences, leaves the choice to the system', () => {
  expect(chooseNetworkPath(preferences, {})).toEqual({ localAddresses: [] })
  expect(chooseNetworkPath(preferences, settings())).toEqual({ localAddresses: [] })
  expect(chooseNetworkPath(preferences, settings({ smtpStrategy: 'default' }))).toEqual({
    localAddresses: [],
  })
})

test.each([
  ['submission', { proxy: 'socks://m', accountProxy: 'socks://a' }, 'socks://m'],
  ['account', { accountProxy: 'socks://a' }, 'socks://a'],
  ['settings', {}, 'socks://all'],
])('chooseNetworkPath: proxy of the %s, is chosen', (_source, proxies, proxy) => {
  const all = { proxyEnabled: true, proxyUrl: 'socks://all' }
  expect(chooseNetworkPath({ ...preferences, ...proxies }, all)).toMatchObject({ proxy })
})

test.each([
  { proxyUrl: 'socks://all' },
  { proxyEnabled: true },
  { proxyEnabled: true, proxyUrl: '' },
])('chooseNetworkPath: incomplete proxy settings %j, connects directly', (incomplete) => {
  expect(chooseNetworkPath(preferences, incomplete)).toEqual({ localAddresses: [] })
})

test('chooseNetworkPath: dedicated, an account changes its address only if it is removed', () => {
  const strategy = { smtpStrategy: 'dedicated' } as const
  const accounts = Array.from({ length: 200 }, (_, n) => `account-${n}`)
  const firstOf = (account: string, localAddresses: string[]) =>
    chooseNetworkPath({ ...preferences, account }, { ...strategy, localAddresses })
      .localAddresses[0]
  const before = accounts.map((account) => firstOf(account, four))
  expect(accounts.map((account) => firstOf(account, four.toReversed()))).toEqual(before)
  for (const address of four)
    expect(before.filter((one) => one === address).length).toBeGreaterThan(20)
  const after = accounts.map((account) => firstOf(account, four.slice(1)))
  for (const [index, address] of before.entries())
    if (address !== four[0]) expect(after[index]).toBe(address)
})

test('chooseNetworkPath: random, ranks the addresses by random numbers', () => {
  const values = [0.9, 0.1, 0.5, 0.7]
  const path = chooseNetworkPath(
    preferences,
    settings({ smtpStrategy: 'random' }),
    () => values.shift() ?? 0,
  )
  expect(path.localAddresses).toEqual(['192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.1'])
})

test('chooseNetworkPath: requested address, is preferred if it is configured', () => {
  expect(chooseNetworkPath({ ...preferences, localAddress: '192.0.2.3' }, settings())).toEqual({
    localAddresses: ['192.0.2.3'],
    requestedLocalAddress: '192.0.2.3',
  })
  expect(chooseNetworkPath({ ...preferences, localAddress: '192.0.2.9' }, settings())).toEqual({
    localAddresses: [],
    requestedLocalAddress: '192.0.2.9',
  })
  const spelled = chooseNetworkPath(
    { ...preferences, localAddress: '2001:DB8:0:0::1' },
    { localAddresses: ['2001:db8::1'] },
  )
  expect(spelled).toEqual({
    localAddresses: ['2001:db8::1'],
    requestedLocalAddress: '2001:db8::1',
  })
})

test('chooseNetworkPath: requested address with dedicated, ranks the others behind it', () => {
  const path = chooseNetworkPath(
    { ...preferences, localAddress: '192.0.2.3' },
    settings({ smtpStrategy: 'dedicated' }),
  )
  expect(path.localAddresses[0]).toBe('192.0.2.3')
  expect(path.localAddresses.toSorted()).toEqual(four)
})
