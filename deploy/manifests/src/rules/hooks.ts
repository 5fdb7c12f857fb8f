import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import { type Build, type Manifest, type ManifestFault, podTemplates, valueAt } from '../build.ts'

/** Annotations of a hook: an object that Argo CD or Helm creates again at each sync or upgrade. */
const hookAnnotations = ['argocd.argoproj.io/hook', 'helm.sh/hook'] as const
/** Annotations for the order of hooks; hooks with a lower number are created first. */
const orderAnnotations = ['argocd.argoproj.io/sync-wave', 'helm.sh/hook-weight'] as const

const annotationsOf = ({ content }: Manifest) =>
  (valueAt(content, ['metadata', 'annotations']) ?? {}) as Readonly<Record<string, string>>

const isHook = (manifest: Manifest) =>
  hookAnnotations.some((name) => annotationsOf(manifest)[name] !== undefined)

/**
 * Finds hooks (objects that are created again at each sync or upgrade) that have the annotations of
 * only one of Argo CD and Helm. Argo CD also treats a Helm hook as a hook, and creates the object
 * again at each sync. Also finds pods that use objects created at another time. A hook may use only
 * hooks created earlier; other pods may use only objects that are no hooks.
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
      // The rules in `references.ts` and `stored-references.ts` report an object that does not
      // exist.
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
