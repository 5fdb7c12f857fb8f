import { isObject } from '../../schema/path.ts'
import type { Build } from '../../build.ts'
import { bindingsOf, memberOf, switches } from '../bindings.ts'
import { componentsOf, findBuild, valueName } from '../component-names.ts'
import { dataOf, environmentPath, ownPath, settingsVariable } from '../configuration.ts'
import { optionalFields } from '../optional-fields.ts'
import { type PlainManifest, plainManifests } from '../plain-manifests.ts'
import type { ChartSources } from '../templates.ts'

export type Values = { [key: string]: unknown }

export interface ImageValues {
  repository: string
  digest: string
}

/**
 * Default values of the Helm chart, taken from the kustomize builds of the base and of each
 * component.
 */
export function defaultValues(
  { builds, folder, secrets }: ChartSources,
  image: ImageValues,
): Values {
  const components = componentsOf(builds)
  const values: Values = {
    image: { repository: image.repository, tag: '', digest: image.digest },
    components: Object.fromEntries(components.map((name) => [valueName(name), false])),
    secrets: Object.fromEntries(secrets),
  }
  const base = plainManifests(findBuild(builds, 'base'), folder)
  for (const manifest of base) {
    setBound(values, manifest)
    if (manifest.kind === 'ConfigMap') setConfiguration(values, manifest)
  }
  for (const { value } of switches) setAt(values, value, true)
  const added = components.flatMap((name) =>
    plainManifests(findBuild(builds, `components/${name}`), folder),
  )
  const isInBase = (manifest: PlainManifest) =>
    base.some(({ kind, name }) => kind === manifest.kind && name === manifest.name)
  for (const manifest of added.filter((each) => !isInBase(each))) {
    setBound(values, manifest)
    if (manifest.kind === 'ConfigMap') setConfiguration(values, manifest)
  }
  for (const { value, standard } of optionalFields) setAt(values, value, standard)
  return values
}

/**
 * Values for the Helm chart that reproduce the manifests of an overlay, without values that equal
 * the defaults.
 */
export function overlayValues(
  sources: ChartSources,
  overlay: Build,
  { components, defaults }: { components: readonly string[]; defaults: Values },
): Values {
  const { builds, folder } = sources
  const values: Values = {
    components: Object.fromEntries(components.map((name) => [valueName(name), true])),
  }
  const added = components.map((name) =>
    plainManifests(findBuild(builds, `components/${name}`), folder),
  )
  for (const manifest of plainManifests(overlay, folder)) {
    setBound(values, manifest)
    if (manifest.kind === 'ConfigMap')
      setConfiguration(values, withoutAdded(manifest, added.flat()))
  }
  return difference(values, defaults) as Values
}

/**
 * Returns a ConfigMap without the environment variables that the components of an overlay add.
 * These variables are not part of the Helm chart's values.
 */
function withoutAdded(manifest: PlainManifest, added: readonly PlainManifest[]): PlainManifest {
  const maps = added.filter(({ kind, name }) => kind === 'ConfigMap' && name === manifest.name)
  const own = Object.entries(dataOf(manifest)).filter(
    ([key, value]) => !maps.some((map) => dataOf(map)[key] === value),
  )
  return { ...manifest, content: { ...manifest.content, data: Object.fromEntries(own) } }
}

function setBound(values: Values, manifest: PlainManifest): void {
  for (const { path, value } of bindingsOf(manifest)) {
    const member = path.reduce<unknown>(memberOf, manifest.content)
    if (member !== undefined) setAt(values, value, member)
  }
}

function setConfiguration(values: Values, manifest: PlainManifest): void {
  const path = environmentPath(manifest.name)
  const entries = Object.entries(dataOf(manifest))
  if (entries.some(([key]) => ownPath(key) === undefined)) setAt(values, path, {})
  for (const [key, value] of entries)
    setAt(
      values,
      ownPath(key) ?? [...path, key],
      key === settingsVariable ? JSON.parse(value) : value,
    )
}

function setAt(values: Values, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path
  if (rest.length === 0) values[key] = value
  else setAt((values[key] ??= {}) as Values, rest, value)
}

/**
 * Returns the members of the map `value` that differ from the map `other`. Undefined if the maps
 * are equal.
 */
function difference(value: unknown, other: unknown): unknown {
  if (!isObject(value) || !isObject(other))
    return JSON.stringify(value) === JSON.stringify(other) ? undefined : value
  const members = Object.entries(value).flatMap(([key, member]) => {
    const changed = difference(member, other[key])
    return changed === undefined ? [] : [[key, changed] as const]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}
