import { expect, test } from '@jest/globals'
import { createScannerCheck, type Names } from './scanner-names.ts'

/**
 * Fake DNS with a table for reverse and a table for forward lookups. Counts the reverse lookups.
 */
function dns(reverse: Record<string, string[]>, forward: Record<string, string[]>) {
  const find = async (table: Record<string, string[]>, name: string) => {
    const names = table[name]
    if (!names) throw new Error('ENOTFOUND')
    return names
  }
  const counts = { lookups: 0 }
  const names = {
    reverse: (address: string) => {
      counts.lookups += 1
      return find(reverse, address)
    },
    resolve4: (name: string) => find(forward, name),
    resolve6: (name: string) => find(forward, name),
  } as unknown as Names
  return { counts, isScanner: createScannerCheck(names) }
}

test('createScannerCheck: scanner name, counts only if it resolves back', async () => {
  const { isScanner } = dns(
    {
      '203.0.113.1': ['mail1.ess.Barracuda.com'],
      '203.0.113.2': ['fake.barracuda.com'],
      '203.0.113.3': ['barracuda.com.evil.example'],
      '203.0.113.4': ['notbarracuda.com'],
      '2001:db8::5': ['matrix.spfbl.net'],
    },
    {
      'mail1.ess.Barracuda.com': ['203.0.113.9', '203.0.113.1'],
      'fake.barracuda.com': ['198.51.100.1'],
      'barracuda.com.evil.example': ['203.0.113.3'],
      'notbarracuda.com': ['203.0.113.4'],
      'matrix.spfbl.net': ['2001:0db8:0:0::5'],
    },
  )
  expect(await isScanner('203.0.113.1')).toBe(true)
  expect(await isScanner('2001:db8::5')).toBe(true)
  for (const address of ['203.0.113.2', '203.0.113.3', '203.0.113.4', '203.0.113.77'])
    expect([address, await isScanner(address)]).toEqual([address, false])
})

test('createScannerCheck: cached per address, private addresses are not looked up', async () => {
  const { counts, isScanner } = dns({ '203.0.113.1': ['a.spfbl.net'] }, {})
  await Promise.all([isScanner('203.0.113.1'), isScanner('203.0.113.1')])
  await isScanner('203.0.113.1')
  for (const address of ['127.0.0.1', '10.1.2.3', '192.168.0.1', '::1', 'fe80::1', '', 'nonsense'])
    expect(await isScanner(address)).toBe(false)
  expect(counts.lookups).toBe(1)
})

test('createScannerCheck: silent name server, bounded concurrent lookups', async () => {
  let lookups = 0
  const isScanner = createScannerCheck({
    reverse: () => {
      lookups += 1
      return new Promise<string[]>(() => undefined)
    },
  } as unknown as Names)
  const answers = Array.from({ length: 200 }, (_, n) => isScanner(`203.0.113.${n}`))
  expect(await Promise.race(answers)).toBe(false)
  expect(lookups).toBe(50)
})
