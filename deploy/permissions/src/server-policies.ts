import { type Destination, partOf, processesThatConnectTo, tcp } from './network-policies.ts'
import type { Yaml } from './to-yaml.ts'

type Server = Exclude<Destination, 'api-gateway' | 'web' | 'internet'>

/**
 * Name of the label on pods of Postgres and RabbitMQ servers that network policies protect. Its
 * value is `postgres` or `rabbitmq`.
 */
export const serverLabel = 'posthorn-server'

/**
 * Peer in a network policy: all pods in the namespace of a Kubernetes operator. The namespace is
 * selected by the name label that Kubernetes sets.
 */
const namespaceOf = (name: string): Yaml => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
})

/** Peers in a network policy: the pods of Prometheus. The same pods may connect to the services. */
const scraper: Yaml = {
  namespaceSelector: { matchLabels: { 'posthorn-access': 'scraper' } },
  podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } },
}

/**
 * Peers in a network policy: pods of those processes that may connect to a Postgres or RabbitMQ
 * server.
 */
function clientsOf(...servers: readonly Server[]): Yaml {
  const names = [...new Set(servers.flatMap(processesThatConnectTo))].toSorted()
  return {
    podSelector: {
      matchLabels: partOf,
      matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: names }],
    },
  }
}

/**
 * Network policies for Postgres and RabbitMQ servers that no Kubernetes operator manages. Only
 * processes that need such a server may connect to it. The policies apply to pods in their own
 * namespace with the label `posthorn-server`.
 */
export function serverPolicies(): Yaml[] {
  return [
    protect('postgres', { [serverLabel]: 'postgres' }, [
      { from: [clientsOf('postgres')], ports: tcp(5432, 6432) },
      // Pods with the label `postgres` may connect to each other: replicas of Postgres, and a
      // pooler with the label.
      { from: [{ podSelector: { matchLabels: { [serverLabel]: 'postgres' } } }] },
    ]),
    protect('rabbitmq', { [serverLabel]: 'rabbitmq' }, [
      { from: [clientsOf('rabbitmq')], ports: tcp(5671, 5672) },
      { from: [clientsOf('rabbitmq-management')], ports: tcp(15_671, 15_672) },
      { from: [{ podSelector: { matchLabels: { [serverLabel]: 'rabbitmq' } } }] },
    ]),
  ]
}

/** Network policies for the Postgres instances and the pooler that CloudNativePG creates. */
export function cloudNativePgPolicies(): Yaml[] {
  const cluster = { 'cnpg.io/cluster': 'posthorn-postgres' }
  const pooler = { 'cnpg.io/poolerName': 'posthorn-pooler' }
  const operator = namespaceOf('cnpg-system')
  return [
    protect('posthorn-postgres', { ...cluster, 'cnpg.io/podRole': 'instance' }, [
      // Services connect to Postgres through the pooler. Of the jobs, only `migrate` connects
      // directly, because `reseal` runs in the pods of auth-bridge.
      {
        from: [
          { podSelector: { matchLabels: { 'app.kubernetes.io/name': 'migrate', ...partOf } } },
          { podSelector: { matchLabels: pooler } },
        ],
        ports: tcp(5432),
      },
      { from: [operator], ports: tcp(5432, 8000) },
      { from: [scraper], ports: tcp(9187) },
      // Pods of the Postgres cluster may connect to each other: Postgres instances, and the jobs
      // that copy the data to a new instance.
      { from: [{ podSelector: { matchLabels: cluster } }] },
    ]),
    protect('posthorn-pooler', pooler, [
      { from: [clientsOf('postgres')], ports: tcp(5432) },
      { from: [scraper], ports: tcp(9127) },
    ]),
  ]
}

/** Network policy for the RabbitMQ nodes that the RabbitMQ cluster operator creates. */
export function rabbitmqPolicies(): Yaml[] {
  const cluster = { 'app.kubernetes.io/name': 'posthorn-rabbitmq' }
  return [
    protect('posthorn-rabbitmq', cluster, [
      { from: [clientsOf('rabbitmq')], ports: tcp(5671) },
      { from: [namespaceOf('rabbitmq-system')], ports: tcp(15_671, 15_672) },
      { from: [scraper], ports: tcp(15_691, 15_692) },
      { from: [{ podSelector: { matchLabels: cluster } }] },
    ]),
  ]
}

/**
 * NetworkPolicy that admits only the listed connections to the selected pods. Connections from the
 * selected pods are not restricted.
 */
function protect(
  name: string,
  matchLabels: Record<string, string>,
  ingress: readonly Yaml[],
): Yaml {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name },
    spec: { podSelector: { matchLabels }, policyTypes: ['Ingress'], ingress },
  }
}
