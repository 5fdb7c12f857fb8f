import type { ServiceName } from '@posthorn/contracts/services'
import { metadataAddresses } from '@posthorn/net/egress'
import type { Yaml } from './to-yaml.ts'

/** Callers of a port. `anyone` includes addresses outside the cluster. */
type Caller = 'anyone' | 'api-clients' | 'scraper'
type Destination = 'postgres' | 'rabbitmq' | 'rabbitmq-management' | 'web' | 'internet'

interface Connections {
  /** Permitted callers by name of the port. */
  callers: Readonly<Record<string, readonly Caller[]>>
  connectsTo: readonly Destination[]
}

/** Processes in Kubernetes: services, and the jobs of a release. */
export type ProcessName = ServiceName | 'migrate' | 'broker-users'

/** All permitted connections, besides DNS. Probes come from the node and need no permission. */
export const connections: Readonly<Record<ProcessName, Connections>> = {
  'api-gateway': {
    callers: { http: ['api-clients', 'scraper'] },
    // Autoconfig.
    connectsTo: ['postgres', 'rabbitmq', 'web'],
  },
  'sync-worker': {
    callers: { http: ['scraper'] },
    connectsTo: ['postgres', 'rabbitmq', 'internet'],
  },
  sender: { callers: { http: ['scraper'] }, connectsTo: ['postgres', 'rabbitmq', 'internet'] },
  'webhook-dispatcher': {
    callers: { http: ['scraper'] },
    connectsTo: ['postgres', 'rabbitmq', 'internet'],
  },
  'imap-proxy': {
    callers: { http: ['scraper'], imap: ['anyone'], imaps: ['anyone'] },
    connectsTo: ['postgres', 'rabbitmq', 'internet'],
  },
  'smtp-proxy': {
    callers: { http: ['scraper'], smtp: ['anyone'], smtps: ['anyone'] },
    connectsTo: ['postgres', 'rabbitmq'],
  },
  // Providers, and the operator's auth server on any port.
  'auth-bridge': {
    callers: { http: ['scraper'] },
    connectsTo: ['postgres', 'rabbitmq', 'internet'],
  },
  migrate: { callers: {}, connectsTo: ['postgres'] },
  'broker-users': { callers: {}, connectsTo: ['rabbitmq-management'] },
}

/** Label of namespaces whose pods may connect: `api` or `scraper`. */
const accessLabel = 'posthorn-access'
const namespace = (access: string): Yaml => ({
  namespaceSelector: { matchLabels: { [accessLabel]: access } },
})

/** Peers of a rule; an empty list means all. */
const peersOf: Readonly<Record<Caller, readonly Yaml[]>> = {
  anyone: [],
  'api-clients': [namespace('api')],
  scraper: [
    {
      namespaceSelector: { matchLabels: { [accessLabel]: 'scraper' } },
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
    },
  ],
}

/** Addresses outside and inside the cluster, without those of instance metadata. */
const outside: readonly Yaml[] = [
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16', ...metadataRanges(4)] } },
  { ipBlock: { cidr: '::/0', except: ['fe80::/10', ...metadataRanges(6)] } },
]
/** Some network plugins match pods by selector only, never by address. */
const outsideAndPods: readonly Yaml[] = [{ namespaceSelector: {} }, ...outside]

/** Ranges of single metadata addresses of one IP version. */
function metadataRanges(version: 4 | 6): string[] {
  return [...metadataAddresses]
    .filter((address) => address.includes(':') === (version === 6))
    .map((address) => `${address}/${version === 6 ? 128 : 32}`)
    .toSorted()
}

const tcp = (...ports: readonly (string | number)[]): Yaml =>
  ports.map((port) => ({ port, protocol: 'TCP' }))

const egressRules: Readonly<Record<Destination, Yaml>> = {
  // 6432 is pgbouncer's default.
  postgres: { to: outsideAndPods, ports: tcp(5432, 6432) },
  rabbitmq: { to: outsideAndPods, ports: tcp(5671, 5672) },
  'rabbitmq-management': { to: outsideAndPods, ports: tcp(15_671, 15_672) },
  web: { to: outside, ports: tcp(80, 443) },
  internet: { to: outside },
}

const dns: Yaml = {
  to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
  ports: [
    { port: 53, protocol: 'UDP' },
    { port: 53, protocol: 'TCP' },
  ],
}

const partOf = { 'app.kubernetes.io/part-of': 'posthorn' }

/** Network policies: one that denies everything, and one per process with its connections. */
export function networkPolicies(): Yaml[] {
  const denyAll = policy('posthorn', partOf, {})
  const own = Object.entries(connections).map(([name, { callers, connectsTo }]) =>
    policy(
      name,
      { 'app.kubernetes.io/name': name, ...partOf },
      {
        ingress: Object.entries(callers).flatMap(([port, allowed]) => ingressRules(port, allowed)),
        egress: [dns, ...connectsTo.map((destination) => egressRules[destination])],
      },
    ),
  )
  return [denyAll, ...own]
}

function ingressRules(port: string, allowed: readonly Caller[]): Yaml[] {
  if (allowed.includes('anyone')) return [{ ports: tcp(port) }]
  return [{ from: allowed.flatMap((caller) => peersOf[caller]), ports: tcp(port) }]
}

function policy(
  name: string,
  matchLabels: Record<string, string>,
  rules: { ingress?: readonly Yaml[]; egress?: readonly Yaml[] },
): Yaml {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name },
    spec: { podSelector: { matchLabels }, policyTypes: ['Ingress', 'Egress'], ...rules },
  }
}
