import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IServicePort } from 'kubernetes-models/v1/ServicePort'
import type { ILabelSelector } from '@kubernetes-models/apimachinery/apis/meta/v1/LabelSelector'
import {
  type Build,
  type Labels,
  type Manifest,
  manifestsOf,
  matches,
  type PodTemplate,
  podTemplates,
  type ManifestFault,
  valueAt,
  valuesAt,
} from '../build.ts'
import type { Path } from '../schema/path.ts'
import type { OperatorPods } from './operator-pods.ts'

type Port = string | number

/** Finds references to ports that the referenced container or Service does not have. */
export function checkPorts(build: Build, others: readonly OperatorPods[]): ManifestFault[] {
  const pods = [...podTemplates(build).map((pod) => ({ ...pod, ports: portsOf(pod) })), ...others]
  return [
    ...podTemplates(build).flatMap(checkProbes),
    ...manifestsOf(build, 'Service').flatMap((service) => checkService(build, service)),
    ...manifestsOf(build, 'NetworkPolicy').flatMap((policy) => checkPolicy(pods, policy)),
    ...build.manifests.flatMap((manifest) => checkBackends(build, manifest)),
    ...build.manifests.flatMap((manifest) => checkMonitor(build, manifest)),
  ]
}

function hasPort(containers: readonly IContainer[], port: Port): boolean {
  return containers.some(({ ports = [] }) =>
    ports.some(({ name, containerPort }) => name === port || containerPort === port),
  )
}

const podHasPort = ({ spec }: PodTemplate, port: Port) => hasPort(spec.containers, port)

const handlers = [
  'startupProbe',
  'livenessProbe',
  'readinessProbe',
  'lifecycle.preStop',
  'lifecycle.postStart',
].flatMap((name) => [`${name}.httpGet.port`, `${name}.tcpSocket.port`, `${name}.grpc.port`])

function checkProbes({ manifest, path, spec }: PodTemplate): ManifestFault[] {
  const probes = spec.containers.flatMap((container, index) =>
    handlers
      .flatMap((handler) => valuesAt(container, handler))
      .filter(({ value }) => !hasPort([container], value as Port))
      .map((place) => ({
        manifest,
        path: [...path, 'containers', index, ...place.path],
        text: `port ${String(place.value)} of ${String(place.path[0])} is no port of the container`,
      })),
  )
  const annotated = ['metadata', 'annotations', 'prometheus.io/port']
  const template = path.slice(0, -1)
  const scraped = valueAt(manifest.content, [...template, ...annotated]) as string | undefined
  if (scraped === undefined || hasPort(spec.containers, Number(scraped))) return probes
  const text = `port ${scraped} of prometheus.io/port is no port of the pod`
  return [...probes, { manifest, path: [...template, ...annotated], text }]
}

function checkService(build: Build, manifest: Manifest): ManifestFault[] {
  const [selector] = valuesAt(manifest.content, 'spec.selector')
  if (!selector) return []
  const matchLabels = selector.value as Record<string, string>
  const pods = podTemplates(build).filter(({ labels }) => matches({ matchLabels }, labels))
  return valuesAt(manifest.content, 'spec.ports[]')
    .map(({ path, value }) => ({ path, port: value as IServicePort }))
    .filter(({ port }) => !pods.every((pod) => podHasPort(pod, port.targetPort ?? port.port)))
    .map(({ path, port }) => ({
      manifest,
      path: [...path, port.targetPort === undefined ? 'port' : 'targetPort'],
      text: `targetPort ${port.targetPort ?? port.port} is no port of the selected pods`,
    }))
}

interface PortedPods {
  labels: Labels
  ports: readonly Port[]
}

/** Names and numbers of all container ports of a pod template. */
function portsOf({ spec }: PodTemplate): Port[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ name, containerPort }) =>
      name === undefined ? [containerPort] : [name, containerPort],
    ),
  )
}

/**
 * Finds ports of a NetworkPolicy that the pods selected by its rules do not have. Rules for pods
 * outside the kustomize build cannot be checked.
 */
function checkPolicy(pods: readonly PortedPods[], manifest: Manifest): ManifestFault[] {
  const own = valueAt(manifest.content, ['spec', 'podSelector']) as ILabelSelector
  const ingress = valuesAt(manifest.content, 'spec.ingress[]').flatMap((rule) =>
    policyPorts(rule, [own]),
  )
  const egress = valuesAt(manifest.content, 'spec.egress[]').flatMap((rule) => {
    const peers = valuesAt(rule.value, 'to[]').map(({ value }) => value as Peer)
    const isLocal = peers.every((peer) => peer.podSelector && !peer.namespaceSelector)
    if (peers.length === 0 || !isLocal) return []
    return policyPorts(
      rule,
      peers.map(({ podSelector }) => podSelector ?? {}),
    )
  })
  return [...ingress, ...egress].flatMap(({ path, port, selectors }) => {
    const selected = pods.filter(({ labels }) => selectors.some((each) => matches(each, labels)))
    if (selected.length === 0 || selected.some(({ ports }) => ports.includes(port))) return []
    return [{ manifest, path, text: `port ${port} is no port of the selected pods` }]
  })
}

interface Peer {
  podSelector?: ILabelSelector
  namespaceSelector?: ILabelSelector
}

function policyPorts(rule: { path: Path; value: unknown }, selectors: readonly ILabelSelector[]) {
  return valuesAt(rule.value, 'ports[].port').map(({ path, value }) => ({
    path: [...rule.path, ...path],
    port: value as Port,
    selectors,
  }))
}

/**
 * Paths of manifest fields that refer to backends, in an Ingress and in routes of the Gateway API.
 */
const backends = [
  'spec.defaultBackend.service',
  'spec.rules[].http.paths[].backend.service',
  'spec.rules[].backendRefs[]',
]

interface Backend {
  name: string
  kind?: string
  namespace?: string
  port?: Port | { name?: string; number?: number }
}

function checkBackends(build: Build, manifest: Manifest): ManifestFault[] {
  const services = manifestsOf(build, 'Service')
  return backends
    .flatMap((pattern) => valuesAt(manifest.content, pattern))
    .flatMap(({ path, value }): ManifestFault[] => {
      const { name, kind = 'Service', namespace, port: input } = value as Backend
      if (kind !== 'Service' || namespace !== undefined) return []
      const service = services.find((each) => each.name === name)
      const text = `Service ${name} does not exist`
      if (!service) return [{ manifest, path: [...path, 'name'], text }]
      const port = typeof input === 'object' ? (input.name ?? input.number) : input
      const ports = valuesAt(service.content, 'spec.ports[]').map(
        (each) => each.value as IServicePort,
      )
      if (ports.some((each) => each.port === port || each.name === port)) return []
      const place = [...path, 'port']
      return [{ manifest, path: place, text: `port ${port} is no port of Service ${name}` }]
    })
}

/**
 * Fields of Prometheus monitors that name a port, by kind of monitor. Monitors refer to ports by
 * name.
 */
const monitors: Record<string, { endpoints: string; target: 'pods' | 'services' }> = {
  PodMonitor: { endpoints: 'spec.podMetricsEndpoints[].port', target: 'pods' },
  ServiceMonitor: { endpoints: 'spec.endpoints[].port', target: 'services' },
}

function checkMonitor(build: Build, manifest: Manifest): ManifestFault[] {
  const monitor = monitors[manifest.kind]
  if (!monitor) return []
  const { endpoints, target } = monitor
  const selector = valueAt(manifest.content, ['spec', 'selector']) as ILabelSelector
  const names =
    target === 'pods'
      ? podTemplates(build)
          .filter(({ labels }) => matches(selector, labels))
          .map(({ spec }) => valuesAt(spec, 'containers[].ports[].name'))
      : manifestsOf(build, 'Service')
          .filter(({ labels }) => matches(selector, labels))
          .map(({ content }) => valuesAt(content, 'spec.ports[].name'))
  return valuesAt(manifest.content, endpoints)
    .filter(({ value }) => !names.every((ports) => ports.some((port) => port.value === value)))
    .map(({ path, value }) => ({
      manifest,
      path,
      text: `port ${String(value)} is no port of the selected ${target}`,
    }))
}
