import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { permissionsOf } from '@posthorn/contracts/broker-access'
import { serviceNames } from '@posthorn/contracts/services'
import { brokerUsers } from './broker-users.ts'
import { generatedFiles } from './generated-files.ts'
import { networkPolicies, type ProcessName } from './network-policies.ts'
import { toYaml } from './to-yaml.ts'

interface Policy {
  metadata: { name: string }
  spec: {
    ingress?: { from?: object[]; ports: { port: string }[] }[]
    egress?: { to: { ipBlock?: { cidr: string; except: string[] } }[]; ports?: object[] }[]
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

test('network policies: only mail ports are open to all', () => {
  const open = [...policies.values()]
    .flatMap(({ ingress = [] }) => ingress)
    .filter(({ from }) => from === undefined)
  const ports = open.flatMap((rule) => rule.ports.map(({ port }) => port))
  expect(ports.toSorted()).toEqual(['imap', 'imaps', 'smtp', 'smtps'])
})

test('network policies: addresses of instance metadata are unreachable', () => {
  const blocks = [...policies.values()]
    .flatMap(({ egress = [] }) => egress)
    .flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []))
  const metadata = {
    '0.0.0.0/0': ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
    '::/0': ['fe80::/10', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
  }
  expect(blocks.length).toBeGreaterThan(10)
  for (const { cidr, except } of blocks)
    expect({ [cidr]: except }).toEqual({ [cidr]: metadata[cidr as keyof typeof metadata] })
})

test('network policies: services without connections to the internet have no rule for all ports', () => {
  const unlimited = [...policies].filter(([, { egress = [] }]) =>
    egress.some(({ ports }) => ports === undefined),
  )
  expect(unlimited.map(([name]) => name).toSorted()).toEqual(
    ['auth-bridge', 'imap-proxy', 'sender', 'sync-worker', 'webhook-dispatcher'].toSorted(),
  )
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
