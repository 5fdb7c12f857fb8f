import { BlockList } from 'node:net'
import type { ServiceName } from '@posthorn/contracts/services'
import { metadataAddresses } from '@posthorn/net/egress'
import type { Yaml } from './to-yaml.ts'

/** Groups of clients in the network policies. `anyone` includes addresses outside the cluster. */
type Caller = 'anyone' | 'api-clients' | 'operators' | 'admin-ui' | 'scraper'
export type Destination =
  | 'api-gateway'
  | 'postgres'
  | 'rabbitmq'
  | 'rabbitmq-management'
  | 'web'
  | 'internet'

interface Connections {
  /** Permitted clients of a process, by name of the process's port. */
  callers: Readonly<Record<string, readonly Caller[]>>
  connectsTo: readonly Destination[]
}

/** Names of the processes that run in Kubernetes: services, and jobs that run once per release. */
export type ProcessName = ServiceName | 'migrate' | 'broker-users'

/**
 * Permitted connections of each process in Kubernetes. DNS is permitted in addition. Probes come
 * from the node and need no permission.
 */
export const connections: Readonly<Record<ProcessName, Connections>> = {
  'api-gateway': {
    callers: { http: ['api-clients', 'admin-ui', 'scraper'] },
    // api-gateway connects to web servers to look up mail server settings (autoconfig).
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
  // auth-bridge connects to mail providers, and to the operator's auth server, which may have any
  // port.
  'auth-bridge': {
    callers: { http: ['scraper'] },
    connectsTo: ['postgres', 'rabbitmq', 'internet'],
  },
  // admin-ui connects to the OpenID provider.
  'admin-ui': {
    callers: { http: ['operators', 'scraper'] },
    connectsTo: ['api-gateway', 'postgres', 'rabbitmq', 'web'],
  },
  migrate: { callers: {}, connectsTo: ['postgres'] },
  'broker-users': { callers: {}, connectsTo: ['rabbitmq-management'] },
}

/**
 * Name of the label that marks namespaces whose pods may connect to Posthorn. Its value is `api`,
 * `operators` or `scraper`.
 */
const accessLabel = 'posthorn-access'
const namespace = (access: string): Yaml => ({
  namespaceSelector: { matchLabels: { [accessLabel]: access } },
})

export const partOf = { 'app.kubernetes.io/part-of': 'posthorn' }

/** Peer in a NetworkPolicy rule: the pods of a service in the same namespace. */
function podsOf(name: ServiceName): Yaml {
  return { podSelector: { matchLabels: { 'app.kubernetes.io/name': name, ...partOf } } }
}

/**
 * Peers in a NetworkPolicy rule, by group of clients. An empty list of peers admits all addresses.
 */
const peersOf: Readonly<Record<Caller, readonly Yaml[]>> = {
  anyone: [],
  'api-clients': [namespace('api')],
  operators: [namespace('operators')],
  'admin-ui': [podsOf('admin-ui')],
  scraper: [
    {
      namespaceSelector: { matchLabels: { [accessLabel]: 'scraper' } },
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
    },
  ],
}

/**
 * Link-local address ranges of IPv4 and IPv6. Most instance metadata services of cloud providers
 * have addresses in these ranges.
 */
const linkLocal = ['169.254.0.0/16', 'fe80::/10']

/**
 * Address ranges of pods, nodes and private networks: RFC 1918, RFC 6598, RFC 4193, and further
 * ranges that are not routed on the Internet and that some clusters use for pods (RFC 6890, RFC
 * 2544, RFC 1112).
 */
const privateRanges = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '192.0.0.0/24',
  '198.18.0.0/15',
  '240.0.0.0/4',
  'fc00::/7',
]

/** Peers of a NetworkPolicy: all IP addresses except instance metadata services. */
const anyAddress = allExcept([...linkLocal, ...metadataRanges()])
/** Peers of a NetworkPolicy: all public IP addresses. */
const publicAddresses = allExcept([...linkLocal, ...privateRanges, ...metadataRanges()])
/**
 * Peers of a NetworkPolicy: all IP addresses and all pods. Pods are listed too, because some
 * network plugins match pods by selector only, never by address.
 */
const anyAddressAndPods: readonly Yaml[] = [{ namespaceSelector: {} }, ...anyAddress]

/** Addresses of instance metadata services as CIDR ranges of a single address. */
function metadataRanges(): string[] {
  return [...metadataAddresses]
    .map((address) => `${address}/${address.includes(':') ? 128 : 32}`)
    .toSorted()
}

/** Peers of a NetworkPolicy: all IPv4 and IPv6 addresses except the given CIDR ranges. */
function allExcept(ranges: readonly string[]): readonly Yaml[] {
  const outermost = ranges.filter(
    (range) => !ranges.some((other) => other !== range && contains(other, range)),
  )
  return ['0.0.0.0/0', '::/0'].map((cidr) => ({
    ipBlock: {
      cidr,
      except: outermost.filter((range) => range.includes(':') === cidr.includes(':')),
    },
  }))
}

/** True if a CIDR range contains another range of the same IP version. */
function contains(range: string, inner: string): boolean {
  const [address = '', bits] = range.split('/')
  const family = address.includes(':') ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addSubnet(address, Number(bits), family)
  return list.check(inner.split('/')[0] ?? '', inner.includes(':') ? 'ipv6' : 'ipv4')
}

export const tcp = (...ports: readonly (string | number)[]): Yaml =>
  ports.map((port) => ({ port, protocol: 'TCP' }))

/**
 * Ports of Postgres and RabbitMQ servers, with and without TLS. 6432 is the default port of
 * pgbouncer, a pooler for Postgres.
 */
export const serverPorts = {
  postgres: [5432, 6432],
  rabbitmq: [5671, 5672],
  'rabbitmq-management': [15_671, 15_672],
} as const

const egressRules: Readonly<Record<Destination, Yaml>> = {
  'api-gateway': { to: [podsOf('api-gateway')], ports: tcp(3000) },
  postgres: { to: anyAddressAndPods, ports: tcp(...serverPorts.postgres) },
  rabbitmq: { to: anyAddressAndPods, ports: tcp(...serverPorts.rabbitmq) },
  'rabbitmq-management': {
    to: anyAddressAndPods,
    ports: tcp(...serverPorts['rabbitmq-management']),
  },
  web: { to: publicAddresses, ports: tcp(80, 443) },
  internet: { to: publicAddresses },
}

const dns: Yaml = {
  to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
  ports: [
    { port: 53, protocol: 'UDP' },
    { port: 53, protocol: 'TCP' },
  ],
}

/** Lists the processes that may connect to a destination, such as Postgres. */
export function processesThatConnectTo(destination: Destination): string[] {
  return Object.entries(connections)
    .filter(([, { connectsTo }]) => connectsTo.includes(destination))
    .map(([name]) => name)
}

/**
 * Network policies of Posthorn: one policy that denies all connections, and one policy per process
 * that permits its connections.
 */
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
