import { expect, test } from '@jest/globals'
import { ownAddress, rankAddresses } from './local-addresses.ts'

const all = ['192.0.2.1', '192.0.2.2', '2001:db8::1']
const ours = () => ({ eth0: [{ address: '192.0.2.2' }, { address: '2001:db8::1' }] }) as never

test('without a strategy the system chooses; with one each address comes once', () => {
  expect(rankAddresses(all, { strategy: undefined, account: 'a' })).toEqual([])
  expect(rankAddresses(all, { strategy: 'default', account: 'a' })).toEqual([])
  for (const strategy of ['dedicated', 'random'] as const)
    expect(rankAddresses([...all, 'none'], { strategy, account: 'a' }).toSorted()).toEqual(all)
})

test('an account keeps its address when others come and go', () => {
  const firstOf = (addresses: string[], account: string) =>
    rankAddresses(addresses, { strategy: 'dedicated', account })[0]
  for (let n = 0; n < 50; n += 1) {
    const mine = firstOf(all, `a${n}`) ?? ''
    expect(firstOf([...all].reverse(), `a${n}`)).toBe(mine)
    const without = all.filter((address) => address === mine || address !== all[0])
    expect(firstOf(without, `a${n}`)).toBe(mine)
  }
})

test('an address is ours in whatever spelling, and of the family that is asked for', () => {
  expect(ownAddress(all, 4, ours)).toBe('192.0.2.2')
  expect(ownAddress(['2001:0db8:0::0001'], 6, ours)).toBe('2001:0db8:0::0001')
  expect(ownAddress(['192.0.2.1'], 4, ours)).toBe(undefined)
})
