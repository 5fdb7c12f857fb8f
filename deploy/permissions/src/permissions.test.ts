import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { permissionsOf } from '@posthorn/contracts/broker-access'
import { serviceNames } from '@posthorn/contracts/services'
import { metadataAddresses } from '@posthorn/net/egress'
import { brokerUsers } from './broker-users.ts'
import { generatedFiles } from './generated-files.ts'
import { networkPolicies, type ProcessName } from './network-policies.ts'
import { cloudNativePgPolicies, rabbitmqPolicies, serverPolicies } from './server-policies.ts'
import { toYaml } from './to-yaml.ts'

interface Policy {
  metadata: { name: string }
  spec: {
    ingress?: { from?: object[]; ports: { port: string }[] }[]
    egress?: {
      to: { ipBlock?: { cidr: string; except: string[] } }[]
      ports?: { port: number }[]
    }[]
  }
}

const policies = new Map(
  (networkPolicies() as unknown as Policy[]).map((policy) => [policy.metadata.name, policy.spec]),
)
const policyOf = (name: ProcessName) => policies.get(name) ?? {}

test.each([...generatedFiles()])('generated manifests: %s is up to date', (path, text) => {
  expect(readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')).toBe(text)
})

test('network policies: one for each process, and one that denies everything else', () => {
  const names = ['posthorn', ...serviceNames, 'migrate', 'broker-users']
  expect([...policies.keys()].toSorted()).toEqual(names.toSorted())
  expect(policies.get('posthorn')).toEqual({
    podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'posthorn' } },
    policyTypes: ['Ingress', 'Egress'],
  })
})

test('network policies: auth-bridge, only the scraper may connect', () => {
  expect(policyOf('auth-bridge').ingress).toEqual([
    {
      from: [
        {
          namespaceSelector: { matchLabels: { 'posthorn-access': 'scraper' } },
          podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
        },
      ],
      ports: [{ port: 'http', protocol: 'TCP' }],
    },
  ])
})

test('network policies: admin-ui, only operators may connect, and it reaches only what it needs', () => {
  const { ingress = [], egress = [] } = policyOf('admin-ui')
  const [operators, ...others] = ingress[0]?.from ?? []
  expect(operators).toEqual({
    namespaceSelector: { matchLabels: { 'posthorn-access': 'operators' } },
  })
  expect(others).toEqual(policyOf('auth-bridge').ingress?.[0]?.from)
  const ports = egress.flatMap((rule) => (rule.ports ?? []).map(({ port }) => port))
  expect(ports).toEqual([53, 53, 3000, 5432, 6432, 5671, 5672, 80, 443])
})

test('network policies: api-gateway admits the pods of admin-ui', () => {
  expect(policyOf('api-gateway').ingress?.[0]?.from).toContainEqual({
    podSelector: {
      matchLabels: {
        'app.kubernetes.io/name': 'admin-ui',
        'app.kubernetes.io/part-of': 'posthorn',
      },
    },
  })
})

test('network policies: only mail ports are open to all', () => {
  const open = [...policies.values()]
    .flatMap(({ ingress = [] }) => ingress)
    .filter(({ from }) => from === undefined)
  const ports = open.flatMap((rule) => rule.ports.map(({ port }) => port))
  expect(ports.toSorted()).toEqual(['imap', 'imaps', 'smtp', 'smtps'])
})

/** True if a policy lets a process connect to an address and port. */
function mayConnect(name: ProcessName, address: string, port: number): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const includes = (range: string) => {
    const [start = '', bits] = range.split('/')
    if (isIP(start) !== isIP(address)) return false
    const list = new BlockList()
    list.addSubnet(start, Number(bits), family)
    return list.check(address, family)
  }
  return (policyOf(name).egress ?? []).some(
    ({ to, ports }) =>
      (ports === undefined || ports.some((each) => each.port === port)) &&
      to.some(({ ipBlock }) => ipBlock && includes(ipBlock.cidr) && !ipBlock.except.some(includes)),
  )
}

const internal = [
  ['RFC 1918', '10.43.0.10'],
  ['RFC 1918', '172.31.255.1'],
  ['RFC 1918', '192.168.1.1'],
  ['RFC 6598', '100.64.0.1'],
  ['RFC 6598', '100.127.255.254'],
  ['RFC 4193', 'fd12:3456::1'],
  ['RFC 4193', 'fc00::1'],
  ['link-local', '169.254.169.254'],
  ['link-local', 'fe80::1'],
  ['class E', '240.10.0.1'],
  ['benchmark', '198.18.0.1'],
  ...[...metadataAddresses].map((address) => ['instance metadata', address]),
] as [kind: string, address: string][]

const clientsOfTenants: ProcessName[] = [
  'api-gateway',
  'sync-worker',
  'sender',
  'webhook-dispatcher',
  'imap-proxy',
  'auth-bridge',
]

test.each(internal)('network policies: %s %s is no target of tenants', (_kind, address) => {
  for (const name of clientsOfTenants)
    expect([name, mayConnect(name, address, 443)]).toEqual([name, false])
})

test('network policies: targets of tenants may be anywhere in the Internet', () => {
  for (const address of ['1.1.1.1', '100.63.255.255', '172.32.0.1', '2606:4700::1111'])
    for (const name of clientsOfTenants)
      expect([name, address, mayConnect(name, address, 443)]).toEqual([name, address, true])
})

test('network policies: Postgres and RabbitMQ may have private addresses, on their ports', () => {
  for (const name of serviceNames) {
    for (const port of [5432, 6432, 5671, 5672])
      expect([name, port, mayConnect(name, '10.0.0.7', port)]).toEqual([name, port, true])
    expect(mayConnect(name, '10.0.0.7', 25)).toBe(false)
    expect(mayConnect(name, '169.254.169.254', 5432)).toBe(false)
  }
})

test('network policies: services without connections to the internet have no rule for all ports', () => {
  const unlimited = [...policies].filter(([, { egress = [] }]) =>
    egress.some(({ ports }) => ports === undefined),
  )
  expect(unlimited.map(([name]) => name).toSorted()).toEqual(
    ['auth-bridge', 'imap-proxy', 'sender', 'sync-worker', 'webhook-dispatcher'].toSorted(),
  )
})

interface ServerPolicy {
  metadata: { name: string }
  spec: {
    podSelector: unknown
    policyTypes: string[]
    ingress: {
      from: { podSelector?: { matchExpressions?: { values: string[] }[] } }[]
      ports?: { port: number }[]
    }[]
  }
}

const serverPolicyOf = (name: string) => {
  const all = [...serverPolicies(), ...cloudNativePgPolicies(), ...rabbitmqPolicies()]
  return (all as unknown as ServerPolicy[]).find(({ metadata }) => metadata.name === name)?.spec
}

test.each([
  ['postgres', 5432, [...serviceNames, 'migrate']],
  ['posthorn-pooler', 5432, [...serviceNames, 'migrate']],
  ['rabbitmq', 5671, [...serviceNames]],
  ['rabbitmq', 15_671, ['broker-users']],
  ['posthorn-rabbitmq', 5671, [...serviceNames]],
] as [policy: string, port: number, clients: string[]][])(
  'server policies: %s admits processes that need it to port %i',
  (name, port, clients) => {
    const { ingress = [], policyTypes } = serverPolicyOf(name) ?? {}
    expect(policyTypes).toEqual(['Ingress'])
    const admitted = ingress
      .filter(({ ports }) => ports?.some((each) => each.port === port))
      .flatMap(({ from }) => from.flatMap(({ podSelector }) => podSelector?.matchExpressions ?? []))
    expect(admitted.map(({ values }) => values)).toEqual([clients.toSorted()])
  },
)

test('server policies: no rule admits all peers', () => {
  for (const name of ['postgres', 'rabbitmq', 'posthorn-postgres', 'posthorn-rabbitmq'])
    for (const { from } of serverPolicyOf(name)?.ingress ?? []) {
      expect(from).not.toEqual([])
      expect(from).not.toContainEqual({})
    }
})

test('RabbitMQ users: each service has the permissions of its contracts', () => {
  expect(brokerUsers()).toHaveLength(2 * serviceNames.length)
  expect(brokerUsers()).toContainEqual(
    expect.objectContaining({
      kind: 'Permission',
      spec: {
        rabbitmqClusterReference: { name: 'posthorn-rabbitmq' },
        vhost: '/',
        userReference: { name: 'posthorn-sync-worker' },
        permissions: permissionsOf('sync-worker'),
      },
    }),
  )
})

test('toYaml: quotes texts that YAML would read as another type', () => {
  const texts = ['true', '-2', '^(a|b\\.c)$', "it's", '', 'a: b', '0.0.0.0/0', 'plain-text/v1']
  expect(toYaml([{ texts, nested: [{ all: {}, none: [], port: 53 }] }, { next: 'x' }])).toBe(
    [
      "texts: ['true', '-2', '^(a|b\\.c)$', 'it''s', '', 'a: b', '0.0.0.0/0', plain-text/v1]",
      'nested:',
      '  - all: {}',
      '    none: []',
      '    port: 53',
      '---',
      'next: x',
      '',
    ].join('\n'),
  )
})
