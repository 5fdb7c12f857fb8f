import { relative } from 'node:path'
import type { Build, Manifest } from '../build.ts'
import { baseName } from '../locate.ts'
import { isObject } from '../schema/path.ts'

/**
 * Manifest as it appears in the Helm chart, without the name suffixes and annotations of other
 * tools.
 */
export interface PlainManifest {
  kind: string
  name: string
  content: Record<string, unknown>
  /** File name of the manifest's template below the folder `templates/` of the Helm chart. */
  file: string
}

/**
 * Converts the manifests of a kustomize build for the Helm chart. Removes the hash from the names
 * of ConfigMaps, because in the chart a checksum annotation restarts the pods. Removes annotations
 * for Helm, which the chart adds itself, and Namespaces, which Helm creates.
 */
export function plainManifests(build: Build, folder: string): PlainManifest[] {
  const names = new Map(
    build.manifests
      .filter(({ kind }) => kind === 'ConfigMap')
      .map((manifest) => [manifest.name, baseName(manifest)]),
  )
  return build.manifests
    .filter(({ kind }) => kind !== 'Namespace')
    .map((manifest) => {
      const content = withoutTools(
        replaceNames(manifest.content, names),
      ) as PlainManifest['content']
      const name = names.get(manifest.name) ?? manifest.name
      return { kind: manifest.kind, name, content, file: fileOf(manifest, folder) }
    })
}

function fileOf({ kind, origin }: Manifest, folder: string): string {
  if (origin.isGenerated) return kind === 'ConfigMap' ? 'configuration.yaml' : 'generated.yaml'
  return relative(folder, origin.file).replace(/^base\//, '')
}

function replaceNames(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => replaceNames(item, names))
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, replaceNames(member, names)]),
    )
  return typeof value === 'string' ? (names.get(value) ?? value) : value
}

/**
 * Removes annotations for Helm and the namespace from a manifest. Also removes `annotations` if no
 * annotation is left.
 */
function withoutTools(content: unknown): unknown {
  if (!isObject(content) || !isObject(content['metadata'])) return content
  const { annotations = {}, namespace: _namespace, ...metadata } = content['metadata']
  const kept = Object.entries(annotations as object).filter(([key]) => !key.startsWith('helm.sh/'))
  return {
    ...content,
    metadata: {
      ...metadata,
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    },
  }
}
