import { formats, type FormatName } from './formats.ts'
import { type Fault, formatPath, isObject, type Path } from './path.ts'

interface FormatRule {
  /**
   * End of the path to a manifest value to which the format rule applies: names separated by
   * spaces. `*` matches any name or index.
   */
  at: string
  /** Format that a manifest value must have if the end of its path is `at`. */
  value?: FormatName
  /**
   * Format that the last name of a manifest value's path must have. Used for maps whose keys have a
   * certain format.
   */
  key?: FormatName
  /** Kinds of manifests to which the format rule applies. Defaults to all kinds. */
  kinds?: readonly string[]
}

const labels = { key: 'labelKey', value: 'labelValue' } as const
const services = ['Service']
const routes = ['Gateway', 'HTTPRoute', 'TLSRoute', 'TCPRoute']

/**
 * Format rules of Kubernetes and Compose that TypeScript types cannot express. Only the first rule
 * that matches a value applies.
 */
const rules: readonly FormatRule[] = [
  { at: 'metadata name', value: 'serviceName', kinds: services },
  { at: 'metadata name', value: 'dnsLabel', kinds: ['Namespace'] },
  { at: 'metadata name', value: 'dnsName' },
  { at: 'metadata namespace', value: 'dnsLabel' },
  { at: 'metadata labels *', ...labels },
  { at: 'metadata annotations *', key: 'labelKey' },
  { at: 'matchLabels *', ...labels },
  { at: 'nodeSelector *', ...labels },
  { at: 'spec selector *', ...labels, kinds: services },
  { at: 'topologyKey', value: 'labelKey' },
  ...['containers', 'initContainers'].flatMap((list): FormatRule[] => [
    { at: `${list} * name`, value: 'dnsLabel' },
    { at: `${list} * image`, value: 'image' },
    { at: `${list} * ports * name`, value: 'portName' },
  ]),
  { at: 'volumes * name', value: 'dnsLabel' },
  { at: 'containerPort', value: 'port' },
  { at: 'hostPort', value: 'port' },
  { at: 'nodePort', value: 'port' },
  ...['httpGet', 'tcpSocket'].map((probe): FormatRule => ({
    at: `${probe} port`,
    value: 'portOrName',
  })),
  { at: 'grpc port', value: 'port' },
  { at: 'spec ports * name', value: 'dnsLabel', kinds: services },
  { at: 'spec ports * port', value: 'port', kinds: services },
  { at: 'spec ports * targetPort', value: 'portOrName', kinds: services },
  { at: 'ports * port', value: 'portOrName', kinds: ['NetworkPolicy'] },
  { at: 'ports * endPort', value: 'port', kinds: ['NetworkPolicy'] },
  { at: 'service port number', value: 'port', kinds: ['Ingress'] },
  { at: 'rules * host', value: 'hostName', kinds: ['Ingress'] },
  { at: 'hosts *', value: 'hostName', kinds: ['Ingress'] },
  { at: 'listeners * port', value: 'port', kinds: routes },
  { at: 'backendRefs * port', value: 'port', kinds: routes },
  { at: 'listeners * hostname', value: 'hostName', kinds: routes },
  { at: 'hostnames *', value: 'hostName', kinds: routes },
  { at: 'dnsNames *', value: 'hostName', kinds: ['Certificate'] },
  { at: 'resources requests *', value: 'quantity' },
  { at: 'resources limits *', value: 'quantity' },
  { at: 'sizeLimit', value: 'quantity' },
  { at: 'averageValue', value: 'quantity', kinds: ['HorizontalPodAutoscaler'] },
  { at: 'storage size', value: 'quantity', kinds: ['Cluster'] },
  { at: 'walStorage size', value: 'quantity', kinds: ['Cluster'] },
  { at: 'persistence storage', value: 'quantity', kinds: ['RabbitmqCluster'] },
  { at: 'spec image', value: 'image', kinds: ['RabbitmqCluster'] },
  { at: 'imageName', value: 'image', kinds: ['Cluster'] },
  { at: 'timeouts *', value: 'gatewayDuration', kinds: ['HTTPRoute'] },
  { at: 'spec duration', value: 'goDuration', kinds: ['Certificate'] },
  { at: 'spec renewBefore', value: 'goDuration', kinds: ['Certificate'] },
  { at: 'refreshInterval', value: 'goDuration', kinds: ['ExternalSecret'] },
  ...['interval', 'scrapeTimeout'].map((name): FormatRule => ({
    at: `podMetricsEndpoints * ${name}`,
    value: 'prometheusDuration',
    kinds: ['PodMonitor'],
  })),
  { at: 'groups * interval', value: 'prometheusDuration', kinds: ['PrometheusRule'] },
  { at: 'rules * for', value: 'prometheusDuration', kinds: ['PrometheusRule'] },
  { at: 'services * image', value: 'image', kinds: ['Compose'] },
  { at: 'stop_grace_period', value: 'goDuration', kinds: ['Compose'] },
  ...['interval', 'timeout', 'start_period'].map((name): FormatRule => ({
    at: `healthcheck ${name}`,
    value: 'goDuration',
    kinds: ['Compose'],
  })),
]

const table = rules.map((rule) => ({ ...rule, names: rule.at.split(' ') }))

/** Compares the values and keys of a manifest with the formats of their fields. */
export function checkFormats(kind: string, content: unknown): Fault[] {
  const applicable = table.filter(({ kinds }) => kinds?.includes(kind) ?? true)
  const visit = (value: unknown, path: Path): Fault[] => {
    const rule = applicable.find(({ names }) => endsWith(path, names))
    const own = rule ? checkValue(rule, value, path) : []
    const members = Array.isArray(value)
      ? [...value.entries()]
      : Object.entries(isObject(value) ? value : {})
    return [...own, ...members.flatMap(([name, member]) => visit(member, [...path, name]))]
  }
  return visit(content, [])
}

function checkValue(rule: FormatRule, value: unknown, path: Path): Fault[] {
  const key = path.at(-1)
  const faults: Fault[] = []
  if (rule.key && !formats[rule.key].matches(key)) {
    const text = `the key of ${formatPath(path)} must be ${formats[rule.key].description}`
    faults.push({ path, text })
  }
  // A null in a manifest means the default of the field, so a null is not checked.
  if (rule.value && value !== null && !formats[rule.value].matches(value)) {
    const { description } = formats[rule.value]
    const actual = typeof value === 'string' ? value : JSON.stringify(value)
    faults.push({ path, text: `${formatPath(path)} must be ${description}, is ${actual}` })
  }
  return faults
}

function endsWith(path: Path, names: readonly string[]): boolean {
  const end = path.slice(-names.length)
  return end.length === names.length && names.every((name, at) => name === '*' || name === end[at])
}
