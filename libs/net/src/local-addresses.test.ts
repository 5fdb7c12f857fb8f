import { expect, test } from '@jest/globals'
import { findLocalAddress, rankAddresses } from './local-addresses.ts'

const all = ['192.0.2.1', '192.0.2.2', '2001:db8::1']
const interfaces = () => ({ eth0: [{ address: '192.0.2.2' }, { address: '2001:db8::1' }] }) as never

test('rankAddresses: without a strategy empty, with one each usable address once', () => {
  expect(rankAddresses(all, { strategy: undefined, account: 'a' })).toEqual([])
  expect(rankAddresses(all, { strategy: 'default', account: 'a' })).toEqual([])
  for (const strategy of ['dedicated', 'random'] as const)
    expect(rankAddresses([...all, 'none'], { strategy, account: 'a' }).toSorted()).toEqual(all)
})

test('rankAddresses: dedicated strategy, an account keeps its address when others change', () => {
  const firstOf = (addresses: string[], account: string) =>
    rankAddresses(addresses, { strategy: 'dedicated', account })[0]
  for (let n = 0; n < 50; n += 1) {
    const address = firstOf(all, `a${n}`) ?? ''
    expect(firstOf([...all].reverse(), `a${n}`)).toBe(address)
    const fewer = all.filter((other) => other === address || other !== all[0])
    expect(firstOf(fewer, `a${n}`)).toBe(address)
  }
})

test('findLocalAddress: any spelling, returns the first local address of the family', () => {
  expect(findLocalAddress(all, 4, interfaces)).toBe('192.0.2.2')
  expect(findLocalAddress(['2001:0db8:0::0001'], 6, interfaces)).toBe('2001:0db8:0::0001')
  expect(findLocalAddress(['192.0.2.1'], 4, interfaces)).toBe(undefined)
})
