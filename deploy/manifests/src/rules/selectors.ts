import type { ILabelSelector } from '@kubernetes-models/apimachinery/apis/meta/v1/LabelSelector'
import {
  type Build,
  describeSelector,
  type Labels,
  type Manifest,
  manifestsOf,
  matches,
  podTemplates,
  type ManifestFault,
  valuesAt,
} from '../build.ts'
import type { Path } from '../schema/path.ts'
import type { OperatorPods } from './operator-pods.ts'

/**
 * Paths of manifest fields that select pods, by kind of manifest. A selector for another namespace
 * may match pods outside the kustomize build.
 */
const podSelectors: Record<string, readonly string[]> = {
  PodDisruptionBudget: ['spec.selector'],
  NetworkPolicy: ['spec.podSelector', 'spec.ingress[].from[]', 'spec.egress[].to[]'],
  PodMonitor: ['spec.selector'],
}

/** Paths of selectors in a pod template that have to match the labels of the same pod template. */
const ownSelectors = [
  'topologySpreadConstraints[].labelSelector',
  'affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[].labelSelector',
  'affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm.labelSelector',
]

/** Finds selectors that match no pod or other object of the kustomize build. */
export function checkSelectors(build: Build, others: readonly OperatorPods[]): ManifestFault[] {
  const pods = [...podTemplates(build), ...others]
  return [
    ...podTemplates(build).flatMap(checkTemplate),
    ...build.manifests.flatMap((manifest) => checkPodSelectors(pods, manifest)),
    ...manifestsOf(build, 'ServiceMonitor').flatMap((manifest) => checkMonitor(build, manifest)),
  ]
}

function checkTemplate({ manifest, path, labels, spec }: ReturnType<typeof podTemplates>[number]) {
  const own = [
    ...(manifest.kind === 'Job' ? [] : valuesAt(manifest.content, 'spec.selector')),
    ...ownSelectors
      .flatMap((pattern) => valuesAt(spec, pattern))
      .map((place) => ({ ...place, path: [...path, ...place.path] })),
  ]
  return own
    .filter(({ value }) => !matches(value as ILabelSelector, labels))
    .map((place) => ({
      manifest,
      path: place.path,
      text: `selector ${describeSelector(place.value as ILabelSelector)} does not match its pods`,
    }))
}

function checkPodSelectors(
  pods: readonly { labels: Labels }[],
  manifest: Manifest,
): ManifestFault[] {
  return selectorsOf(manifest)
    .filter(({ selector }) => !pods.some(({ labels }) => matches(selector, labels)))
    .map(({ path, selector }) => noMatch(manifest, { path, selector }, 'pod'))
}

function selectorsOf(manifest: Manifest): { path: Path; selector: ILabelSelector }[] {
  if (manifest.kind === 'Service')
    return valuesAt(manifest.content, 'spec.selector').map(({ path, value }) => ({
      path,
      selector: { matchLabels: value as Record<string, string> },
    }))
  return (podSelectors[manifest.kind] ?? [])
    .flatMap((pattern) => valuesAt(manifest.content, pattern))
    .flatMap(({ path, value }) => {
      if (!/\d/.test(String(path.at(-1)))) return [{ path, selector: value as ILabelSelector }]
      const peer = value as { podSelector?: ILabelSelector; namespaceSelector?: ILabelSelector }
      if (!peer.podSelector || peer.namespaceSelector) return []
      return [{ path: [...path, 'podSelector'], selector: peer.podSelector }]
    })
}

function checkMonitor(build: Build, manifest: Manifest): ManifestFault[] {
  const services = manifestsOf(build, 'Service')
  return valuesAt(manifest.content, 'spec.selector')
    .filter(({ value }) => !services.some(({ labels }) => matches(value as ILabelSelector, labels)))
    .map(({ path, value }) =>
      noMatch(manifest, { path, selector: value as ILabelSelector }, 'Service'),
    )
}

function noMatch(
  manifest: Manifest,
  { path, selector }: { path: Path; selector: ILabelSelector },
  kind: string,
): ManifestFault {
  return { manifest, path, text: `selector ${describeSelector(selector)} matches no ${kind}` }
}
