import type { PlainManifest } from './plain-manifests.ts'

/**
 * Binding of a manifest field to a value of the Helm chart: the value becomes the content of the
 * field.
 */
export interface Binding {
  kind: string
  /**
   * Name of the Kubernetes manifest whose field is bound to a value of the Helm chart. Absent if
   * the field is bound in all manifests of the kind; `value` then contains the placeholder `*` for
   * the manifest's name.
   */
  name?: string
  path: readonly (string | number)[]
  /**
   * Path of the bound value in the Helm chart's values. `*` stands for the name of the manifest.
   */
  value: readonly string[]
}

const container = ['spec', 'template', 'spec', 'containers', 'posthorn'] as const
const pod = ['spec', 'template', 'spec'] as const
const pgbouncer = ['spec', 'pgbouncer', 'parameters'] as const

/**
 * Bindings of all manifest fields that values of the Helm chart set, except images, ConfigMaps and
 * names of secrets.
 */
export const bindings: readonly Binding[] = [
  { kind: 'Deployment', path: ['spec', 'replicas'], value: ['services', '*', 'replicas'] },
  {
    kind: 'Deployment',
    path: [...pod, 'terminationGracePeriodSeconds'],
    value: ['services', '*', 'terminationGracePeriodSeconds'],
  },
  { kind: 'Deployment', path: [...container, 'resources'], value: ['services', '*', 'resources'] },
  {
    kind: 'Deployment',
    path: [...container, 'env', 'NODE_OPTIONS', 'value'],
    value: ['services', '*', 'nodeOptions'],
  },
  {
    kind: 'Deployment',
    path: [...pod, 'priorityClassName'],
    value: ['priorityClass', 'name'],
  },
  { kind: 'PriorityClass', path: ['metadata', 'name'], value: ['priorityClass', 'name'] },
  { kind: 'PriorityClass', path: ['value'], value: ['priorityClass', 'value'] },
  { kind: 'Job', path: [...container, 'resources'], value: ['jobs', '*', 'resources'] },
  {
    kind: 'HorizontalPodAutoscaler',
    path: ['spec', 'minReplicas'],
    value: ['autoscaling', '*', 'minReplicas'],
  },
  {
    kind: 'HorizontalPodAutoscaler',
    path: ['spec', 'maxReplicas'],
    value: ['autoscaling', '*', 'maxReplicas'],
  },
  {
    kind: 'ScaledObject',
    path: ['spec', 'minReplicaCount'],
    value: ['autoscaling', '*', 'minReplicas'],
  },
  {
    kind: 'ScaledObject',
    path: ['spec', 'maxReplicaCount'],
    value: ['autoscaling', '*', 'maxReplicas'],
  },
  { kind: 'Ingress', path: ['metadata', 'annotations'], value: ['ingress', '*', 'annotations'] },
  { kind: 'Ingress', path: ['spec', 'rules', 0, 'host'], value: ['hosts', 'api'] },
  { kind: 'Ingress', path: ['spec', 'tls', 0, 'hosts', 0], value: ['hosts', 'api'] },
  { kind: 'Gateway', path: ['spec', 'listeners', 'https', 'hostname'], value: ['hosts', 'api'] },
  { kind: 'HTTPRoute', path: ['spec', 'hostnames', 0], value: ['hosts', 'api'] },
  { kind: 'Certificate', path: ['spec', 'dnsNames'], value: ['hosts', 'mail'] },
  {
    kind: 'Certificate',
    path: ['spec', 'issuerRef', 'name'],
    value: ['mailCertificate', 'clusterIssuer'],
  },
  { kind: 'Cluster', path: ['spec', 'instances'], value: ['postgres', 'instances'] },
  {
    kind: 'Cluster',
    path: ['spec', 'postgresql', 'parameters'],
    value: ['postgres', 'parameters'],
  },
  { kind: 'Cluster', path: ['spec', 'resources'], value: ['postgres', 'resources'] },
  { kind: 'Cluster', path: ['spec', 'storage'], value: ['postgres', 'storage'] },
  { kind: 'Cluster', path: ['spec', 'walStorage'], value: ['postgres', 'walStorage'] },
  { kind: 'Pooler', path: ['spec', 'instances'], value: ['postgres', 'pooler', 'instances'] },
  { kind: 'Pooler', path: pgbouncer, value: ['postgres', 'pooler', 'parameters'] },
  { kind: 'RabbitmqCluster', path: ['spec', 'replicas'], value: ['rabbitmq', 'replicas'] },
  { kind: 'RabbitmqCluster', path: ['spec', 'resources'], value: ['rabbitmq', 'resources'] },
  { kind: 'RabbitmqCluster', path: ['spec', 'persistence'], value: ['rabbitmq', 'persistence'] },
]

/**
 * Kinds of manifests that a boolean value of the Helm chart can switch off. The default of the
 * value is true.
 */
export const switches: readonly { kind: string; value: readonly string[] }[] = [
  // A PriorityClass can be switched off because it belongs to the whole cluster. Helm refuses to
  // install an object that belongs to another release.
  { kind: 'PriorityClass', value: ['priorityClass', 'create'] },
]

/**
 * Name of a manifest in the Helm chart's values. For a Job, the name without the version of the
 * release.
 */
export function boundName({ kind, name, content }: PlainManifest): string {
  if (kind !== 'Job') return name
  const labels = (content['metadata'] as { labels: Record<string, string> }).labels
  return labels['app.kubernetes.io/name'] ?? name
}

/**
 * Lists the bindings of a manifest to values of the Helm chart, with `*` replaced by the manifest's
 * name.
 */
export function bindingsOf(manifest: PlainManifest): Binding[] {
  return bindings
    .filter(({ kind, name = manifest.name }) => kind === manifest.kind && name === manifest.name)
    .map((binding) => ({
      ...binding,
      value: binding.value.map((key) => (key === '*' ? boundName(manifest) : key)),
    }))
}

/**
 * Returns a member of a map in a manifest, or an item of a list. The key of an item is its position
 * or its `name`.
 */
export function memberOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value) && typeof key === 'string')
    return value.find((item: { name?: unknown }) => item.name === key)
  return (value as Record<string | number, unknown> | undefined)?.[key]
}
