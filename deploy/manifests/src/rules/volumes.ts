import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IVolume } from 'kubernetes-models/v1/Volume'
import type { IVolumeMount } from 'kubernetes-models/v1/VolumeMount'
import type { PodTemplate } from '../build.ts'

/** Kubernetes object from which a file in a container gets its content. */
export type MountedFile =
  | { source: 'Secret' | 'ConfigMap'; name: string; key: string; isOptional: boolean }
  | { source: 'other' }

/** Lists the possible sources of a file in a container. Empty if no mounted volume has the file. */
export function sourcesOfFile(
  { spec }: PodTemplate,
  container: IContainer,
  path: string,
): MountedFile[] {
  const mount = (container.volumeMounts ?? [])
    .filter(({ mountPath, subPath }) =>
      subPath === undefined ? path.startsWith(withSlash(mountPath)) : path === mountPath,
    )
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length)[0]
  const volume = (spec.volumes ?? []).find(({ name }) => name === mount?.name)
  return mount && volume ? sourcesOf(volume, fileIn(mount, path)) : []
}

function fileIn({ mountPath, subPath }: IVolumeMount, path: string): string {
  return subPath ?? path.slice(withSlash(mountPath).length)
}

function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

interface Item {
  key: string
  path: string
}

interface Source {
  name?: string
  optional?: boolean
  items?: readonly Item[]
}

function sourcesOf({ secret, configMap, projected }: IVolume, file: string): MountedFile[] {
  if (secret) return fromSource('Secret', { ...secret, name: secret.secretName ?? '' }, file)
  if (configMap) return fromSource('ConfigMap', configMap, file)
  if (!projected) return [{ source: 'other' }]
  return (projected.sources ?? []).flatMap((each) => {
    if (each.secret) return fromSource('Secret', each.secret, file)
    return each.configMap ? fromSource('ConfigMap', each.configMap, file) : []
  })
}

/**
 * Returns the key from which a file gets its content, in a volume of a Secret or ConfigMap. A
 * volume without `items` has a file for each key.
 */
function fromSource(
  source: 'Secret' | 'ConfigMap',
  { name = '', optional = false, items }: Source,
  file: string,
): MountedFile[] {
  if (!items) return [{ source, name, key: file, isOptional: optional }]
  return items.some(({ path }) => path === file) ? [{ source: 'other' }] : []
}
