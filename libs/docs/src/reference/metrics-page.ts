import { globSync } from 'node:fs'
import { markdownPage, markdownTable } from './markdown.ts'
import { type ProjectFile, projectRoot, readProjectFile, readSources } from './source-files.ts'

export interface Metric {
  /** Full name of the metric, such as `posthorn_bus_up`. */
  name: string
  type: string
  labels: readonly string[]
  help: string
  /** Services that have the metric. */
  services: readonly string[]
}

const introduction = `Each service has the metrics at \`/metrics\` of its port, in the text format of Prometheus, with the
label \`service\`. The metrics \`process_…\` and \`nodejs_…\` of prom-client are there, too. \`SVC_METRICS_ADDRESSES\`
restricts who may read the metrics of api-gateway and admin-ui.`

/** Documentation page of all metrics of the services. */
export function metricsPage(): string {
  const metrics = readMetrics()
  return markdownPage(
    {
      title: 'Metrics',
      description: 'Prometheus metrics of all services: names, types, labels and meaning.',
      order: 6,
    },
    [
      introduction,
      markdownTable(
        ['metric', 'type', 'labels', 'services', 'description'],
        metrics.map(({ name, type, labels, services, help }) => [
          `\`${name}\``,
          type,
          labels.map((label) => `\`${label}\``).join(', '),
          services.join(', '),
          help.endsWith('.') ? help : `${help}.`,
        ]),
      ),
    ],
  )
}

/**
 * Registration of a metric in the code: a call with an object, or a call of a local function with
 * name and help.
 */
const registration =
  /\b(?<type>counter|gauge|histogram)\(\{\s*name: '(?<name>\w+)',\s*help: '(?<help>[^']+)',?\s*(?:labels: \[(?<labels>[^\]]*)\])?|\bgauge\('(?<gauge>\w+)', '(?<gaugeHelp>[^']+)'/g
/**
 * Registrations of metrics in libs/telemetry itself, which do not use the interface of the other
 * packages.
 */
const ownRegistration =
  /\b(?:new Gauge|full)\(\{\s*name: '(?:posthorn_)?(?<name>\w+)',\s*help: '(?<help>[^']+)',\s*(?:labels|labelNames): \[(?<labels>[^\]]*)\]/g

/** Reads the metrics that the code of services and libraries registers, sorted by name. */
export function readMetrics(): Metric[] {
  const users = servicesByLibrary()
  return readSources()
    .filter(({ path }) => !/^libs\/(?:docs|testkit|tooling)\//.test(path))
    .flatMap((source) => metricsIn(source, users))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function metricsIn({ path, text }: ProjectFile, users: ReadonlyMap<string, string[]>): Metric[] {
  const pattern = path.startsWith('libs/telemetry/') ? ownRegistration : registration
  const [top = '', folder = ''] = path.split('/')
  const services = top === 'services' ? [folder] : (users.get(folder) ?? [])
  return [...text.matchAll(pattern)].map(({ groups = {} }) => ({
    name: `posthorn_${groups['name'] ?? groups['gauge']}`,
    type: groups['type'] ?? 'gauge',
    labels: [...(groups['labels'] ?? '').matchAll(/\w+/g)].map(([label]) => label),
    help: groups['help'] ?? groups['gaugeHelp'] ?? '',
    services,
  }))
}

/**
 * Services that depend on a library, by name of the library. `all` for the libraries that start
 * every service.
 */
function servicesByLibrary(): Map<string, string[]> {
  const users = new Map<string, string[]>()
  for (const file of globSync('services/*/package.json', { cwd: projectRoot }).sort())
    for (const library of librariesOf(file))
      users.set(library, [...(users.get(library) ?? []), file.split('/')[1] ?? ''])
  for (const library of ['service', ...librariesOf('libs/service/package.json')])
    users.set(library, ['all'])
  return users
}

/** Names of the libraries of this repository on which a package depends. */
function librariesOf(file: string): string[] {
  const { dependencies = {} } = JSON.parse(readProjectFile(file)) as {
    dependencies?: Record<string, string>
  }
  return Object.keys(dependencies)
    .filter((name) => name.startsWith('@posthorn/'))
    .map((name) => name.slice('@posthorn/'.length))
}
