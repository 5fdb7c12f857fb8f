import { isObject } from '../schema/path.ts'
import { bindingsOf, boundName, memberOf } from './bindings.ts'
import { asJson, imageText, releaseText } from './expressions.ts'
import { Expression } from './tree/nodes.ts'
import type { PlainManifest } from './plain-manifests.ts'

/** Names of Kubernetes Secrets by their key in the Helm chart's values. */
export type SecretNames = ReadonlyMap<string, string>

/**
 * Replaces those fields of a manifest that depend on values of the Helm chart by template
 * expressions.
 */
export function bindValues(manifest: PlainManifest, secrets: SecretNames): PlainManifest {
  const bound = bindingsOf(manifest).reduce<unknown>(
    (content, { path, value }) => replaceAt(content, path, new Expression(asJson(value))),
    manifest.content,
  )
  const keys = new Map([...secrets].map(([key, name]) => [name, key]))
  const content = replaceScalars(bound, [], ({ value, path }) => {
    const key = String(path.at(-1))
    if (key === 'image' && value.startsWith('posthorn:')) return new Expression(imageText)
    if (key === 'app.kubernetes.io/version') return new Expression(`"${releaseText}"`)
    if (key === 'app.kubernetes.io/managed-by') return new Expression('{{ $.Release.Service }}')
    const secret = keys.get(value)
    const isName = ['name', 'secretName'].includes(key)
    return secret !== undefined && isName ? new Expression(asJson(['secrets', secret])) : value
  })
  return { ...manifest, content: withReleaseInName(manifest, content as PlainManifest['content']) }
}

function withReleaseInName(manifest: PlainManifest, content: Record<string, unknown>) {
  if (manifest.kind !== 'Job') return content
  const name = new Expression(`"${boundName(manifest)}-${releaseText}"`)
  return replaceAt(content, ['metadata', 'name'], name) as Record<string, unknown>
}

/**
 * Returns a copy of a manifest in which the field at a path has another value. Returns the manifest
 * unchanged if the path does not exist.
 */
function replaceAt(content: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const member = memberOf(content, key)
  if (member === undefined) return content
  const replaced = replaceAt(member, rest, value)
  if (Array.isArray(content))
    return content.map((item: unknown) => (item === member ? replaced : item))
  return { ...(content as object), [key]: replaced }
}

type Replace = (scalar: { value: string; path: readonly string[] }) => unknown

function replaceScalars(content: unknown, path: readonly string[], replace: Replace): unknown {
  if (content instanceof Expression) return content
  if (Array.isArray(content))
    return content.map((item: unknown) => replaceScalars(item, path, replace))
  if (isObject(content))
    return Object.fromEntries(
      Object.entries(content).map(([key, member]) => [
        key,
        replaceScalars(member, [...path, key], replace),
      ]),
    )
  return typeof content === 'string' ? replace({ value: content, path }) : content
}
