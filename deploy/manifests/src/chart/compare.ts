import { type Build, podTemplates } from '../build.ts'
import { isObject } from '../schema/path.ts'
import { type Chart, createChart } from './chart.ts'
import { componentsOf, findBuild, valueName } from './component-names.ts'
import { settingsVariable } from './configuration.ts'
import { plainManifests } from './plain-manifests.ts'
import { renderChart } from './render-chart.ts'
import type { Values } from './values/values.ts'

/**
 * Generates the Helm chart, renders it and compares the rendered objects with the objects that
 * kustomize built: for the base, for each single component, and for each overlay. Returns one line
 * per difference.
 */
export function checkChart(builds: readonly Build[], folder: string): string[] {
  const chart = createChart(builds, folder)
  const pairs: [string, Values][] = [
    ['base', {}],
    ...componentsOf(builds).map((name): [string, Values] => [
      `components/${name}`,
      { components: { [valueName(name)]: true } },
    ]),
    ...[...chart.overlays].map(([name, values]): [string, Values] => [`overlays/${name}`, values]),
  ]
  return pairs.flatMap(([name, values]) => {
    const build = findBuild(builds, name)
    const image = { repository: repositoryOf(build) }
    return compare(chart, { ...values, image }, { build, folder }).map(
      (line) => `k8s/${name}: chart: ${line}`,
    )
  })
}

function repositoryOf(build: Build): string {
  const image = podTemplates(build)[0]?.spec.containers[0]?.image ?? ''
  return image.replace(/:[^/]*$/, '')
}

/** Kustomize build that the rendered chart must equal. */
export interface Expected {
  build: Build
  /** Folder of the Kubernetes manifests. */
  folder: string
}

/**
 * Renders the Helm chart with the given values and returns the differences from a kustomize build.
 */
export function compare(chart: Chart, values: Values, expected: Expected): string[] {
  return compareObjects(renderChart(chart, { values }), expected)
}

/** Returns the differences between the objects that a Helm chart rendered and a kustomize build. */
export function compareObjects(
  rendered: readonly Record<string, unknown>[],
  { build, folder }: Expected,
): string[] {
  const expected = new Map(
    plainManifests(build, folder).map(({ content }) => [keyOf(content), content]),
  )
  const actual = new Map(rendered.map((content) => [keyOf(content), withoutHelm(content)]))
  if (actual.size < rendered.length) return ['two objects have the same kind and name']
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((key) => {
    const [left, right] = [expected.get(key), actual.get(key)]
    if (!left || !right) return [`${key}: only ${left ? 'kustomize' : 'the chart'} has it`]
    return differences(left, right, '').map((line) => `${key}: ${line}`)
  })
}

interface Metadata {
  name?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}

function keyOf(content: Record<string, unknown>): string {
  return `${String(content['kind'])} ${(content['metadata'] as Metadata).name}`
}

/**
 * Returns a rendered object as kustomize would build it: without the checksum annotation of the
 * Helm chart and with the chart's label `managed-by` changed to `kustomize`.
 */
function withoutHelm(content: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(content, (_key, value: unknown) => {
    if (!isObject(value)) return value
    const { 'checksum/configuration': _checksum, ...rest } = value
    if (rest['app.kubernetes.io/managed-by'] === 'Helm')
      rest['app.kubernetes.io/managed-by'] = 'kustomize'
    const { annotations } = rest
    if (isObject(annotations) && Object.keys(annotations).join() === 'checksum/configuration')
      delete rest['annotations']
    return rest
  })
  return JSON.parse(text) as Record<string, unknown>
}

function differences(left: unknown, right: unknown, path: string): string[] {
  if (path.endsWith(settingsVariable))
    return differences(JSON.parse(String(left)), JSON.parse(String(right)), `${path}.`)
  if (isObject(left) && isObject(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)])
    return [...keys].flatMap((key) => differences(left[key], right[key], join(path, key)))
  }
  if (isNamedList(left) && isNamedList(right)) return differences(byName(left), byName(right), path)
  if (Array.isArray(left) && Array.isArray(right) && left.length === right.length)
    return left.flatMap((item: unknown, at) => differences(item, right[at], join(path, `${at}`)))
  const [expected, actual] = [JSON.stringify(left), JSON.stringify(right)]
  return expected === actual ? [] : [`${path} is ${actual}, kustomize has ${expected}`]
}

interface Named {
  name: string
}

/**
 * True for lists of named items, such as containers, variables and volumes, whose order has no
 * meaning.
 */
function isNamedList(value: unknown): value is Named[] {
  if (!Array.isArray(value) || value.length === 0) return false
  const names = new Set(value.map((item: unknown) => isObject(item) && item['name']))
  return names.size === value.length && [...names].every((name) => typeof name === 'string')
}

function byName(items: readonly Named[]): Record<string, Named> {
  return Object.fromEntries(items.map((item) => [item.name, item]))
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}
