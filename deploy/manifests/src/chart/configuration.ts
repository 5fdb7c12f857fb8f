import { isObject } from '../schema/path.ts'
import type { Variant } from './tree/merge-variants.ts'
import { reference } from './expressions.ts'
import { allOf, Expression, not, type TemplateNode } from './tree/nodes.ts'
import type { PlainManifest } from './plain-manifests.ts'

export type ConfigurationData = Readonly<Record<string, string>>

const prefix = 'posthorn-'
/**
 * Environment variable with Posthorn's settings as JSON text. In the Helm chart's values, the
 * settings are a map.
 */
export const settingsVariable = 'SVC_SETTINGS'
const authoritiesFile = 'ca.crt'

/**
 * Path in the Helm chart's values at which the environment variables of a ConfigMap are configured.
 */
export function environmentPath(name: string): string[] {
  if (name === `${prefix}services`) return ['environment']
  return ['services', name.slice(prefix.length), 'environment']
}

/**
 * Path in the Helm chart's values for a ConfigMap entry with a path of its own. Undefined for an
 * environment variable.
 */
export function ownPath(key: string): string[] | undefined {
  if (key === settingsVariable) return ['settings']
  return key === authoritiesFile ? ['certificateAuthorities'] : undefined
}

export function dataOf({ content }: Pick<PlainManifest, 'content'>): ConfigurationData {
  return (content['data'] ?? {}) as ConfigurationData
}

/**
 * Template node for the data of a ConfigMap: all environment variables from the Helm chart's
 * values, and the variables that enabled components add.
 */
export function configurationNode(name: string, variants: readonly Variant[]): TemplateNode {
  const [base, ...others] = variants.map(({ condition, value }) => ({
    condition,
    data: isObject(value) ? dataOf({ content: value }) : {},
  }))
  const data = base?.data ?? {}
  const own = Object.keys(data).flatMap((key) => {
    const path = ownPath(key)
    if (path === undefined) return []
    const json = key === settingsVariable ? ' | toJson' : ''
    return [`${key}: {{ ${reference(path)} | toJson${json} }}`]
  })
  if (own.length > 0 && own.length === Object.keys(data).length)
    return { kind: 'block', lines: own }
  const values = reference(environmentPath(name))
  const added = others.flatMap((other) =>
    Object.entries(other.data)
      .filter(([key, value]) => data[key] !== value)
      .flatMap(([key, value]) => [
        `{{- if ${allOf(other.condition, not(`hasKey ${values} ${JSON.stringify(key)}`))} }}`,
        `${key}: ${JSON.stringify(value)}`,
        '{{- end }}',
      ]),
  )
  const all = [
    `{{- range $name, $value := ${values} }}`,
    '{{ $name }}: {{ $value | toJson }}',
    '{{- end }}',
  ]
  return { kind: 'block', lines: [...own, ...all, ...added] }
}

/**
 * Template expression for a checksum of a Deployment's configuration. The checksum becomes an
 * annotation of the pods, so that a changed configuration restarts the pods. `flags` are the
 * conditions of components that add environment variables.
 */
export function checksum(names: readonly string[], flags: readonly string[]): Expression {
  const paths = names.map((name) =>
    name === `${prefix}ca` ? ['certificateAuthorities'] : environmentPath(name),
  )
  const settings = names.includes(`${prefix}api-gateway`) ? [['settings']] : []
  const values = [...paths, ...settings].map(reference)
  return new Expression(`{{ list ${[...values, ...flags].join(' ')} | toJson | sha256sum }}`)
}
