import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Lookup } from '../src/egress.ts'
import { createHttpCaller } from '../src/http-caller.ts'

// Tests of addresses that a customer may try to have called. None of the addresses may receive a
// connection.

/**
 * Spellings of 169.254.169.254 and of other metadata and link-local addresses that only the egress
 * policy `off` allows.
 */
const metadata = [
  '169.254.169.254',
  '169.254.169.254.',
  '169.254.0.1',
  '169.254.255.255',
  '169.254.43518',
  '169.16689662',
  '2852039166',
  '0xa9fea9fe',
  '0xA9FEA9FE',
  '0x0000000000a9fea9fe',
  '025177524776',
  '0000025177524776',
  '0xa9.0xfe.0xa9.0xfe',
  '0251.0376.0251.0376',
  '0251.254.169.254',
  '169.0xfe.0251.254',
  '0xa9.0xfea9fe',
  '0251.077524776',
  '１６９．２５４．１６９．２５４',
  '①⑥⑨.②⑤④.①⑥⑨.②⑤④',
  '169。254。169。254',
  '169%2e254%2e169%2e254',
  '%31%36%39.254.169.254',
  '1\u00AD69.254.169.254',
  '168.63.129.16',
  '2822734096',
  '100.100.100.200',
  '0x646464c8',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[FD00:EC2::254]',
  '[fd00:0ec2:0000:0000:0000:0000:0000:0254]',
  '[fd20:ce::254]',
  '[fe80::1]',
  '[fe80::a9fe:a9fe]',
  '[febf::1]',
  '[::ffff:169.254.169.254]',
  '[::FFFF:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[0000:0000:0000:0000:0000:ffff:a9fe:a9fe]',
  '[::169.254.169.254]',
  '[::a9fe:a9fe]',
  '[::ffff:0:169.254.169.254]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:0:0:0:0:a9fe:a9fe]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[64:ff9b:1:a9fe:a9:fe00::]',
  '[64:ff9b::6464:64c8]',
  '[2002:a9fe:a9fe::]',
  '[2002:a9fe:a9fe::1]',
  '[2002:a9fe:a9fe:ffff:ffff:ffff:ffff:ffff]',
  '[2002:6464:64c8::]',
  '[::ffff:100.100.100.200]',
  '[::ffff:168.63.129.16]',
]

/**
 * Loopback addresses, where a server listens that must not be called under the egress policy
 * `private`.
 */
const loopback = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.000.000.001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0x7f.0.0.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '017700000001',
  '00000000017700000001',
  '0',
  '0.0.0.0',
  '0x0',
  '00',
  'localhost',
  'LOCALHOST',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '127.0.0.2',
  '127.255.255.254',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:7f00:0001]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:0.0.0.0]',
]

/** Addresses of non-public ranges, which the egress policy `private` forbids. */
const notPublic = [
  '10.0.0.1',
  '10.255.255.255',
  '012.0.0.1',
  '0xa000001',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '0xc0a80001',
  '3232235521',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '0.1.2.3',
  '192.0.0.8',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:192.168.0.1]',
  '[::10.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[2002:a00:1::]',
  '[2002:c0a8:1::]',
]

/**
 * Host names and their addresses. One forbidden address makes the egress policy forbid the name.
 */
const names: Record<string, string[]> = {
  'metadata.example': ['169.254.169.254'],
  'metadata6.example': ['fd00:ec2::254'],
  'mapped.example': ['::ffff:169.254.169.254'],
  'nat64.example': ['64:ff9b::a9fe:a9fe'],
  '6to4.example': ['2002:a9fe:a9fe::1'],
  'zoned.example': ['fe80::1%lo'],
  'second.example': ['127.0.0.1', '169.254.169.254'],
  'first.example': ['169.254.169.254', '127.0.0.1'],
  'mixed.example': ['127.0.0.1', '::ffff:a9fe:a9fe'],
  'none.example': [],
  'nonsense.example': ['not an address'],
  'empty.example': [''],
  'spaced.example': [' 169.254.169.254'],
  'listed.example': ['169.254.169.254,127.0.0.1'],
}

/** Texts that are not HTTP URLs. */
const notHttp = [
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:25/_HELO',
  'data:text/plain,x',
  'javascript:alert(1)',
  'unix:/var/run/docker.sock:/info',
  'http://unix:/var/run/docker.sock:/info',
  'http://unix/var/run/docker.sock',
  'dict://127.0.0.1:11211/',
  'ldap://127.0.0.1/',
  'ws://127.0.0.1/',
  '//169.254.169.254/',
  '/latest/meta-data',
  'http://',
  'http://[fe80::1%25eth0]/',
  'http://[::ffff:169.254.169.254',
  'http://169.254.169.254:99999/',
  'http://256.256.256.256/',
  'http://0x100000000/',
  '',
]

/** Ports of services that read the lines of an HTTP request as commands of their own protocol. */
const otherServices = [
  ['SSH', 22],
  ['SMTP', 25],
  ['IMAP', 143],
  ['submission', 587],
  ['Postgres', 5432],
  ['RabbitMQ', 5672],
  ['Redis', 6379],
  ['memcached', 11211],
  ['Docker', 2375],
] as const

/** URLs that contain a host name in different ways. */
const around = (host: string) => [
  `http://${host}:PORT/`,
  `http://user:pass@${host}:PORT/latest/meta-data`,
  `http://public.example@${host}:PORT/#@public.example/`,
]

const servers: Server[] = []
let port = 0
let connections = 0
/** Resolver of host names for the test; no real DNS server is queried. */
const lookup: Lookup = async (host) => {
  if (host === 'localhost') return [{ address: '127.0.0.1', family: 4 }]
  const addresses = names[host]
  if (!addresses) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

async function listen(host: string): Promise<void> {
  const server = createServer((_request, response) => response.end('secret'))
  server.on('connection', () => connections++)
  servers.push(server)
  server.listen(port, host)
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
}
beforeAll(async () => {
  await listen('0.0.0.0')
  await listen('::1')
})
afterAll(() => {
  for (const server of servers) server.close()
})

async function outcomeOf(policy: 'link-local' | 'private', template: string): Promise<string> {
  using caller = createHttpCaller({ policy, timeoutMs: 60_000, maxResponseBytes: 100, lookup })
  const url = template.replace('PORT', String(port))
  const { outcome, body } = await caller.call({ method: 'POST', url, body: '{}' })
  expect(body.toString()).toBe('')
  return outcome
}

test('hostile URLs: at least 200 cases, and the server responds to an allowed call', async () => {
  const all = [
    metadata.flatMap(around),
    loopback.flatMap(around),
    notPublic,
    Object.keys(names),
    notHttp,
  ]
  expect(all.flat().length).toBeGreaterThanOrEqual(200)
  using caller = createHttpCaller({
    policy: 'link-local',
    timeoutMs: 60_000,
    maxResponseBytes: 100,
    lookup,
  })
  const { body } = await caller.call({ method: 'GET', url: `http://127.0.0.1:${port}/` })
  expect(body.toString()).toBe('secret')
})

test.each(metadata)('HttpCaller: %s, blocked by link-local and private', async (host) => {
  for (const template of around(host)) {
    expect(await outcomeOf('link-local', template)).toBe('egress-blocked')
    expect(await outcomeOf('private', template)).toBe('egress-blocked')
  }
})

test.each(loopback)('HttpCaller: %s, no connection under private', async (host) => {
  const before = connections
  for (const template of around(host))
    expect(await outcomeOf('private', template)).toBe('egress-blocked')
  expect(connections).toBe(before)
})

test.each(notPublic)('HttpCaller: %s, blocked by private', async (host) => {
  for (const template of around(host))
    expect(await outcomeOf('private', template)).toBe('egress-blocked')
})

test.each(Object.keys(names))('HttpCaller: name %s, not called', async (host) => {
  const before = connections
  const outcome = await outcomeOf('link-local', `http://${host}:PORT/`)
  expect(outcome).toBe(host === 'none.example' ? 'dns' : 'egress-blocked')
  expect(connections).toBe(before)
})

test.each(notHttp)('HttpCaller: %j, not called', async (url) => {
  const before = connections
  expect(['protocol', 'dns', 'egress-blocked']).toContain(await outcomeOf('link-local', url))
  expect(connections).toBe(before)
})

test.each(otherServices)(
  'HttpCaller: port of %s, not called unless the policy is off',
  async (...row) => {
    const url = `http://127.0.0.1:${row[1]}/`
    for (const client of ['got', 'node'] as const)
      for (const policy of ['link-local', 'private'] as const) {
        using caller = createHttpCaller({
          policy,
          client,
          timeoutMs: 60_000,
          maxResponseBytes: 100,
        })
        expect(await caller.call({ method: 'POST', url, body: 'QUIT\r\n' })).toMatchObject({
          outcome: 'egress-blocked',
          error: `Connections to port ${row[1]} are not allowed`,
        })
      }
  },
)
