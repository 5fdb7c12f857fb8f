import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { ILabelSelector } from '@kubernetes-models/apimachinery/apis/meta/v1/LabelSelector'
import { isObject, type Path } from './schema/path.ts'

/** Source file of a Kubernetes manifest in the output of kustomize. */
export interface Origin {
  /**
   * Absolute path of the manifest's source file. For a generated manifest, path of the
   * kustomization that generates the manifest.
   */
  file: string
  isGenerated: boolean
}

/** Kubernetes object in the output of a kustomize build. */
export interface Manifest {
  apiVersion: string
  kind: string
  name: string
  labels: Labels
  content: Record<string, unknown>
  origin: Origin
}

export type Labels = Readonly<Record<string, string>>

/** Result of a kustomize build: all objects that one `kubectl apply` of the build would send. */
export interface Build {
  /** Name of the kustomize build: its folder below `k8s/`, such as `overlays/production`. */
  name: string
  manifests: readonly Manifest[]
}

/** Fault that was found in a Kubernetes manifest. */
export interface ManifestFault {
  manifest: Manifest
  path: Path
  text: string
  /**
   * Word that locates the fault in files of kustomize generators and patches, if the manifest's
   * source file does not contain the faulty field.
   */
  token?: string
}

/** Pod template of a Kubernetes workload such as a Deployment or Job. */
export interface PodTemplate {
  manifest: Manifest
  /** Path of a workload's pod template within the manifest. */
  path: Path
  labels: Labels
  spec: IPodSpec
}

const templatePaths: Record<string, Path> = {
  Deployment: ['spec', 'template'],
  StatefulSet: ['spec', 'template'],
  DaemonSet: ['spec', 'template'],
  Job: ['spec', 'template'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template'],
}

export function podTemplates({ manifests }: Build): PodTemplate[] {
  return manifests.flatMap((manifest) => {
    const path = templatePaths[manifest.kind]
    const template = path && valueAt(manifest.content, path)
    if (!path || !isObject(template)) return []
    const labels = (valueAt(template, ['metadata', 'labels']) ?? {}) as Labels
    return [{ manifest, path: [...path, 'spec'], labels, spec: template['spec'] as IPodSpec }]
  })
}

export function manifestsOf({ manifests }: Build, ...kinds: readonly string[]): Manifest[] {
  return manifests.filter(({ kind }) => kinds.includes(kind))
}

export function valueAt(content: unknown, path: Path): unknown {
  let value = content
  for (const key of path) value = (value as Record<string | number, unknown> | undefined)?.[key]
  return value
}

/**
 * Returns the values at a path in a manifest, for example `spec.rules[].backendRefs[]`. `[]` in the
 * path stands for all items of a list.
 */
export function valuesAt(content: unknown, pattern: string): { path: Path; value: unknown }[] {
  const keys = pattern.split(/\.|(?=\[\])/)
  return keys.reduce<{ path: Path; value: unknown }[]>(
    (places, key) =>
      places.flatMap(({ path, value }) => {
        if (key !== '[]') return stepInto(path, value, key)
        return Array.isArray(value)
          ? value.map((item: unknown, index) => ({ path: [...path, index], value: item }))
          : []
      }),
    [{ path: [], value: content }],
  )
}

function stepInto(path: Path, value: unknown, key: string): { path: Path; value: unknown }[] {
  if (!isObject(value) || value[key] === undefined) return []
  return [{ path: [...path, key], value: value[key] }]
}

/** True if a label selector matches labels. An empty selector matches all labels. */
export function matches(selector: ILabelSelector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key]
      if (operator === 'Exists') return value !== undefined
      if (operator === 'DoesNotExist') return value === undefined
      const isListed = value !== undefined && values.includes(value)
      return operator === 'In' ? isListed : !isListed
    })
  )
}

export function describeSelector({ matchLabels, matchExpressions }: ILabelSelector): string {
  const labels = Object.entries(matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  const expressions = (matchExpressions ?? []).map(({ key, operator, values = [] }) =>
    `${key} ${operator} ${values.join(' ')}`.trimEnd(),
  )
  return [...labels, ...expressions].join(', ')
}
