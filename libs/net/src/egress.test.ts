import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { assertAllowed, type EgressPolicy, resolveAllowed } from './egress.ts'

const blocked = expect.objectContaining({ kind: 'forbidden', code: 'EEGRESSBLOCKED' })

function verdict(address: string, policy: EgressPolicy): 'allowed' | 'blocked' {
  try {
    assertAllowed(address, policy)
    return 'allowed'
  } catch (error) {
    expect(error).toBeInstanceOf(AppError)
    expect(error).toEqual(blocked)
    return 'blocked'
  }
}

const linkLocalOrMetadata = [
  '169.254.169.254',
  '169.254.0.1',
  '100.100.100.200',
  'fd00:ec2::254',
  'FD00:0EC2:0:0:0:0:0:254',
  'fe80::1',
  'fe80::1%lo',
  'fe80::1%25eth0',
  'febf:ffff::1',
  '[fe80::1]',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::ffff:0:169.254.169.254',
  '::169.254.169.254',
  '64:ff9b::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b::6464:64c8',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '2002:6464:64c8::',
  'fd20:ce::254',
  '168.63.129.16',
  '::ffff:168.63.129.16',
  '192.0.0.192',
  '64:ff9b:1:a9fe:a9:fe00::',
]

const notPublic = [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  'fc00::1',
  'ff02::1',
  '2001:db8::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
]

test.each(linkLocalOrMetadata)(
  'assertAllowed: link-local or metadata address %s, forbidden unless the policy is off',
  (address) => {
    expect(verdict(address, 'link-local')).toBe('blocked')
    expect(verdict(address, 'private')).toBe('blocked')
    expect(verdict(address, 'off')).toBe('allowed')
  },
)

test.each(notPublic)('assertAllowed: non-public address %s, forbidden by private', (address) => {
  expect(verdict(address, 'link-local')).toBe('allowed')
  expect(verdict(address, 'private')).toBe('blocked')
  expect(verdict(address, 'off')).toBe('allowed')
})

test.each(['8.8.8.8', '169.253.255.255', '169.255.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
  'assertAllowed: public address %s, allowed',
  (address) => {
    expect(verdict(address, 'private')).toBe('allowed')
  },
)

test.each(['', 'localhost', '127.1', '0x7f000001', '2130706433', '1.2.3', '::1::', 'a.b.c.d'])(
  'assertAllowed: text that is not an address (%j), forbidden',
  (address) => {
    expect(verdict(address, 'link-local')).toBe('blocked')
  },
)

test.each([
  '127.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.0.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '0',
])('resolveAllowed: host spelled %s, checks the address the system resolves', async (host) => {
  await expect(resolveAllowed(host, 'private')).rejects.toEqual(blocked)
})

test.each([
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[fe80::1%25lo]',
  '[::ffff:a9fe:a9fe]',
])('resolveAllowed: metadata address spelled %s, forbidden', async (host) => {
  await expect(resolveAllowed(host, 'link-local')).rejects.toEqual(blocked)
})

test('resolveAllowed: one forbidden address among several, forbids the name', async () => {
  const lookup = async () => [
    { address: '8.8.8.8', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ]
  await expect(resolveAllowed('mixed.example', 'link-local', { lookup })).rejects.toEqual(blocked)
})

test('resolveAllowed: allowed name, returns its addresses with their families', async () => {
  const lookup = async () => [
    { address: '192.168.1.1', family: 4 },
    { address: 'fc00::1', family: 6 },
  ]
  expect(await resolveAllowed('mail.example', 'link-local', { lookup })).toEqual([
    { address: '192.168.1.1', family: 4 },
    { address: 'fc00::1', family: 6 },
  ])
})

test('resolveAllowed: lookup that never ends, rejects with the reason of the signal', async () => {
  const stop = new AbortController()
  const resolved = resolveAllowed('slow.example', 'link-local', {
    lookup: () => new Promise(() => undefined),
    signal: stop.signal,
  })
  stop.abort(new Error('enough'))
  await expect(resolved).rejects.toThrow('enough')
})
