import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import { type Build, type Manifest, type ManifestFault, podTemplates, valueAt } from '../build.ts'

/**
 * Annotations that make a Kubernetes object a hook. Argo CD creates hooks again at each sync, Helm
 * at each upgrade.
 */
const hookAnnotations = ['argocd.argoproj.io/hook', 'helm.sh/hook'] as const
/** Annotations with the order of hooks. Hooks with lower numbers are created first. */
const orderAnnotations = ['argocd.argoproj.io/sync-wave', 'helm.sh/hook-weight'] as const

const annotationsOf = ({ content }: Manifest) =>
  (valueAt(content, ['metadata', 'annotations']) ?? {}) as Readonly<Record<string, string>>

const isHook = (manifest: Manifest) =>
  hookAnnotations.some((name) => annotationsOf(manifest)[name] !== undefined)

/**
 * Finds hooks that are annotated for only one of Argo CD and Helm. Hooks are objects that are
 * created again at each sync or upgrade. Also finds pods that use an object before the object is
 * created. A hook may only use hooks with a lower order number. Other pods may not use hooks.
 */
export function checkHooks(build: Build): ManifestFault[] {
  return [...build.manifests.filter(isHook).flatMap(checkBoth), ...checkUses(build)]
}

function checkBoth(manifest: Manifest): ManifestFault[] {
  const annotations = annotationsOf(manifest)
  return [...hookAnnotations, ...orderAnnotations]
    .filter((name) => annotations[name] === undefined)
    .map((name) => ({
      manifest,
      path: ['metadata', 'annotations'],
      text: `a hook has the annotations of Argo CD and Helm, ${name} is missing`,
      token: 'annotations',
    }))
}

function checkUses(build: Build): ManifestFault[] {
  return podTemplates(build).flatMap(({ manifest, path, spec }) =>
    usedObjects(spec).flatMap(({ kind, name }) => {
      const used = build.manifests.find((each) => each.kind === kind && each.name === name)
      // A missing object to which a pod refers is not reported here, but by the rules in
      // `references.ts` and `stored-references.ts`.
      const text = used && timeFault(manifest, used)
      return text === undefined ? [] : [{ manifest, path, text, token: name }]
    }),
  )
}

function timeFault(user: Manifest, used: Manifest): string | undefined {
  const name = `${used.kind} ${used.name}`
  if (isHook(user) !== isHook(used))
    return isHook(user)
      ? `${name} is no hook, so that it does not exist when this hook runs`
      : `${name} is a hook, so that it is deleted and created again while pods use it`
  const isLater = orderAnnotations.some(
    (order) => Number(annotationsOf(used)[order] ?? 0) > Number(annotationsOf(user)[order] ?? 0),
  )
  return isLater ? `${name} is created later` : undefined
}

/** Lists the ConfigMaps, the service account and the priority class that a pod uses. */
function usedObjects(spec: IPodSpec): { kind: string; name: string }[] {
  const { volumes = [], containers, serviceAccountName, priorityClassName } = spec
  const configMaps = [
    ...volumes.flatMap(({ configMap, projected }) => [
      configMap?.name,
      ...(projected?.sources ?? []).map((source) => source.configMap?.name),
    ]),
    ...containers.flatMap(({ envFrom = [] }) => envFrom.map((from) => from.configMapRef?.name)),
  ]
  return [
    ...configMaps.map((name) => ({ kind: 'ConfigMap', name })),
    { kind: 'ServiceAccount', name: serviceAccountName },
    { kind: 'PriorityClass', name: priorityClassName },
  ].flatMap(({ kind, name }) => (name === undefined ? [] : [{ kind, name }]))
}
