import { type Build, type Labels, type Manifest, valueAt } from '../build.ts'

/** Pods that a Kubernetes operator creates for an object. */
export interface OperatorPods {
  labels: Labels
  ports: readonly (string | number)[]
}

const creators: Record<string, (manifest: Manifest) => OperatorPods> = {
  Cluster: ({ name }) => ({
    labels: { 'cnpg.io/cluster': name, 'cnpg.io/podRole': 'instance' },
    ports: [5432, 8000, 9187],
  }),
  Pooler: ({ name, content }) => ({
    labels: {
      'cnpg.io/poolerName': name,
      'cnpg.io/podRole': 'pooler',
      ...(valueAt(content, ['spec', 'template', 'metadata', 'labels']) as Labels | undefined),
    },
    ports: [5432, 9127],
  }),
  RabbitmqCluster: ({ name }) => ({
    labels: {
      'app.kubernetes.io/name': name,
      'app.kubernetes.io/component': 'rabbitmq',
      'app.kubernetes.io/part-of': 'rabbitmq',
    },
    ports: [4369, 5671, 5672, 15671, 15672, 15691, 15692, 25672],
  }),
}

/**
 * Pods of Postgres and RabbitMQ servers that no Kubernetes operator manages. According to
 * `k8s/README.md`, these pods have a label of Posthorn.
 */
export const labelledServers: readonly OperatorPods[] = [
  { labels: { 'posthorn-server': 'postgres' }, ports: [5432, 6432] },
  { labels: { 'posthorn-server': 'rabbitmq' }, ports: [5671, 5672, 15671, 15672] },
]

/**
 * Pods of the component `admin-ui`, which network policies name also where the component is not
 * used.
 */
export const optionalPods: readonly OperatorPods[] = [
  {
    labels: { 'app.kubernetes.io/name': 'admin-ui', 'app.kubernetes.io/part-of': 'posthorn' },
    ports: ['http', 3000],
  },
]

export function operatorPods({ manifests }: Build): OperatorPods[] {
  return manifests.flatMap((manifest) => creators[manifest.kind]?.(manifest) ?? [])
}
