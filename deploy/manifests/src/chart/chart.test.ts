import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { checkout, localDirectory } from '@posthorn/local/paths'
import { Ajv } from 'ajv'
import type { Build } from '../build.ts'
import { buildAll } from '../build-all.ts'
import { findOptionalKustomize } from '../optional-kustomize.ts'
import { parseYaml } from '../yaml.ts'
import { type Chart, chartFiles, createChart, localImage } from './chart.ts'
import { compare } from './compare.ts'
import { findBuild } from './component-names.ts'
import { renderChart, renderNotes } from './render-chart.ts'
import type { Values } from './values/values.ts'

const folder = join(checkout, 'k8s')
const kustomize = await findOptionalKustomize()

interface Rendered {
  kind: string
  metadata: { name: string; annotations?: Record<string, string> }
  spec?: {
    replicas?: number
    template?: {
      metadata: { annotations?: Record<string, string> }
      spec: { containers: { image: string }[]; volumes: object[]; priorityClassName?: string }
    }
  }
  data?: Record<string, string>
}

const describeWithKustomize = kustomize === undefined ? describe.skip : describe
describeWithKustomize('Helm chart of the manifests', () => {
  let builds: Build[]
  let chart: Chart
  beforeAll(async () => {
    const work = join(localDirectory, 'chart-test')
    const results = await buildAll({ kustomize: kustomize ?? '', folder, work })
    builds = results.flatMap(({ build }) => build ?? [])
    chart = createChart(builds, folder)
  })
  const render = (values: Values = {}, isInstall = true) =>
    renderChart(chart, { values, isInstall }) as unknown as Rendered[]
  const find = (objects: readonly Rendered[], kind: string, name: string) =>
    objects.find((each) => each.kind === kind && each.metadata.name === name)

  test('compare: finds a value, an object and a component that differ from kustomize', () => {
    const base = { build: findBuild(builds, 'base'), folder }
    expect(compare(chart, {}, base)).toEqual([])
    const [line] = compare(chart, { services: { sender: { replicas: 3 } } }, base)
    expect(line).toBe('Deployment sender: spec.replicas is 3, kustomize has 2')
    expect(compare(chart, { components: { monitoring: true } }, base)).toEqual([
      'PodMonitor posthorn: only the chart has it',
    ])
    expect(compare(chart, { components: { rabbitmqOperator: true } }, base)).toContain(
      `Job broker-users-${chart.version}: only kustomize has it`,
    )
  })

  test('image: repository, tag and digest of the values, tag in the names of Jobs', () => {
    const digest = `sha256:${'a'.repeat(64)}`
    const objects = render({ image: { repository: 'r.example/p', tag: '2.0.0', digest } })
    const images = objects.flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
    expect(images.length).toBeGreaterThan(8)
    expect(new Set(images.map(({ image }) => image))).toEqual(
      new Set([`r.example/p:2.0.0@${digest}`]),
    )
    expect(find(objects, 'Job', 'migrate-2.0.0')).toBeDefined()
  })

  test('Jobs: objects of the release at the installation, hooks of an upgrade', () => {
    const hooksOf = (objects: readonly Rendered[]) =>
      objects.flatMap(({ kind, metadata }) =>
        metadata.annotations?.['helm.sh/hook'] === undefined
          ? []
          : [`${kind} ${metadata.annotations['helm.sh/hook']}`],
      )
    expect(hooksOf(render())).toEqual([])
    expect(hooksOf(render({}, false))).toEqual(['Job pre-upgrade', 'Job pre-upgrade'])
  })

  test('configuration: a value reaches the ConfigMap and restarts the pods that use it, only', () => {
    const checksums = (objects: readonly Rendered[]) =>
      Object.fromEntries(
        objects
          .filter(({ kind }) => kind === 'Deployment')
          .map(({ metadata, spec }) => [
            metadata.name,
            spec?.template?.metadata.annotations?.['checksum/configuration'],
          ]),
      )
    const before = checksums(render())
    const changedBy = (values: Values) =>
      Object.entries(checksums(render(values)))
        .filter(([name, sum]) => sum !== before[name])
        .map(([name]) => name)
    const all = Object.keys(before)
    expect(all).toHaveLength(7)
    expect(Object.values(before)).not.toContain(undefined)
    const own = { services: { sender: { environment: { SVC_SENDER_CONCURRENCY: '7' } } } }
    expect(find(render(own), 'ConfigMap', 'posthorn-sender')?.data).toMatchObject({
      SVC_SENDER_CONCURRENCY: '7',
      SVC_SHUTDOWN_TIMEOUT: expect.any(String),
    })
    expect(changedBy(own)).toEqual(['sender'])
    expect(changedBy({ settings: { serviceUrl: 'https://a.example' } })).toEqual(['api-gateway'])
    expect(changedBy({ environment: { SVC_LOG_LEVEL: 'warn' } })).toEqual(all)
    expect(changedBy({ components: { mailProxies: true } })).toEqual(['imap-proxy', 'smtp-proxy'])
  })

  test('configuration: a value replaces that of a component, null removes it', () => {
    const data = (values: Values) =>
      find(render(values), 'ConfigMap', 'posthorn-imap-proxy')?.data ?? {}
    const components = { mailProxies: true }
    const environment = { SVC_IMAP_PROXY_TLS_PORT: '9993', SVC_SHUTDOWN_TIMEOUT: null }
    const changed = data({ components, services: { 'imap-proxy': { environment } } })
    expect(changed['SVC_IMAP_PROXY_TLS_PORT']).toBe('9993')
    expect(Object.keys(changed)).not.toContain('SVC_SHUTDOWN_TIMEOUT')
    expect(data({ components })['SVC_IMAP_PROXY_TLS_PORT']).toBe('2994')
    expect(Object.keys(data({ components }))).toContain('SVC_SHUTDOWN_TIMEOUT')
  })

  test('names of secrets: pods, certificates and external secrets use those of the values', () => {
    const text = (values: Values) =>
      JSON.stringify(render({ components: { externalSecrets: true, ingress: true }, ...values }))
    expect(text({})).toContain('"posthorn-database"')
    const renamed = text({ secrets: { database: 'mine', apiTls: 'my-certificate' } })
    expect(renamed).not.toContain('"posthorn-database"')
    expect(renamed).not.toContain('"posthorn-api-tls"')
    expect(renamed).toContain('"my-certificate"')
  })

  test('PriorityClass: another installation creates it, or there is none', () => {
    const classes = (values: Values) => {
      const objects = render(values)
      const pods = objects.filter(({ kind }) => kind === 'Deployment')
      return {
        created: objects.filter(({ kind }) => kind === 'PriorityClass').length,
        used: new Set(pods.map(({ spec }) => spec?.template?.spec.priorityClassName)),
      }
    }
    expect(classes({})).toEqual({ created: 1, used: new Set(['posthorn']) })
    const others = { priorityClass: { create: false, name: 'business' } }
    expect(classes(others)).toEqual({ created: 0, used: new Set(['business']) })
  })

  test('optional fields: absent without a value, else in all pods, ingresses and load balancers', () => {
    const components = { ingress: true, mailProxies: true }
    const text = JSON.stringify(render({ components }))
    for (const field of ['nodeSelector', 'tolerations', 'ingressClassName'])
      expect(text).not.toContain(`"${field}"`)
    const toleration = { key: 'mail', operator: 'Exists' }
    const objects = render({
      components,
      nodeSelector: { pool: 'mail' },
      tolerations: [toleration],
      ingress: { className: 'nginx', 'api-gateway': { annotations: { own: 'x' } } },
      loadBalancers: { annotations: { scheme: 'internal' } },
    })
    const pods = objects.flatMap(({ spec }) => spec?.template?.spec ?? [])
    expect(pods).toHaveLength(9)
    for (const pod of pods)
      expect(pod).toMatchObject({ nodeSelector: { pool: 'mail' }, tolerations: [toleration] })
    const ingress = find(objects, 'Ingress', 'api-gateway')
    expect(ingress?.spec).toMatchObject({ ingressClassName: 'nginx' })
    expect(ingress?.metadata.annotations).toMatchObject({
      own: 'x',
      'nginx.ingress.kubernetes.io/proxy-body-size': '50m',
    })
    const annotationsOf = (name: string) => find(objects, 'Service', name)?.metadata.annotations
    expect(annotationsOf('imap')).toEqual({ scheme: 'internal' })
    expect(annotationsOf('api-gateway')).toBeUndefined()
  })

  test('notes: name the secret, the address of the API, and missing trusted proxies', () => {
    expect(renderNotes(chart)).toContain('port-forward service/api-gateway')
    expect(renderNotes(chart)).not.toContain('WARNING')
    const components = { ingress: true }
    const withIngress = renderNotes(chart, { components, secrets: { api: 'my-token' } })
    expect(withIngress).toContain('https://posthorn.example.com/docs')
    expect(withIngress).toContain('secret my-token')
    expect(withIngress).toContain('WARNING: SVC_TRUSTED_PROXIES')
    const environment = { SVC_TRUSTED_PROXIES: '10.42.7.0/24' }
    expect(
      renderNotes(chart, { components, services: { 'api-gateway': { environment } } }),
    ).not.toContain('WARNING')
  })

  test('README: has the secrets and commands, and no link into the repository', () => {
    const readme = chartFiles(chart).get('README.md') ?? ''
    expect(readme).toContain('`posthorn-sealing-private`')
    expect(readme).toContain('helm upgrade --install')
    expect(readme).not.toMatch(/\]\((?!https?:)/)
  })

  test('values: texts that YAML 1.1 reads as booleans are in quotes', () => {
    expect(chartFiles(chart).get('values.yaml')).toContain('proxy-buffering: "off"')
  })

  test('files: values of all overlays conform to the schema, misspelt values do not', () => {
    const validate = new Ajv({ strict: false }).compile(chart.schema)
    const errorsOf = (values: Values) => {
      validate(values)
      return (validate.errors ?? []).map(
        ({ instancePath, message }) => `${instancePath} ${message}`,
      )
    }
    for (const values of [chart.values, ...chart.overlays.values()])
      expect(errorsOf(values)).toEqual([])
    expect(chart.overlays.size).toBeGreaterThan(2)
    expect(errorsOf({ image: { digest: 'latest' } })).toHaveLength(1)
    expect(errorsOf({ componants: {} })).toEqual([' must NOT have additional properties'])
    expect(errorsOf({ environment: { SVC_PORT: 3000 } })).toEqual([
      '/environment/SVC_PORT must be string',
    ])
  })

  test('files: those of a chart, with the values that the templates were generated with', () => {
    const files = chartFiles(createChart(builds, folder, { ...localImage, repository: 'r/p' }))
    const read = (file: string) => parseYaml(files.get(file) ?? '')[0]?.content
    expect(read('Chart.yaml')).toMatchObject({ version: chart.version, appVersion: chart.version })
    expect(read('values.yaml')).toEqual({
      ...chart.values,
      image: { repository: 'r/p', tag: '', digest: '' },
    })
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'values.schema.json',
        'values-production.yaml',
        'templates/jobs.yaml',
      ]),
    )
  })
})
