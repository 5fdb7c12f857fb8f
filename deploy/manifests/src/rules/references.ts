import {
  type Build,
  type Manifest,
  manifestsOf,
  type ManifestFault,
  valueAt,
  valuesAt,
} from '../build.ts'
import type { Path } from '../schema/path.ts'

/** Manifest field that refers to another object by name. */
interface Reference {
  /**
   * Kinds of manifests that may refer to another object in this field. Absent if all kinds may have
   * the field.
   */
  kinds?: readonly string[]
  /**
   * Path, in the manifest with the reference, of the map that contains the `name` of the other
   * object.
   */
  pattern: string
  /**
   * Kind of the object to which the manifest field refers, unless the map with the name has a field
   * `kind`.
   */
  kind: string
}

const references: readonly Reference[] = [
  { kinds: ['HorizontalPodAutoscaler'], pattern: 'spec.scaleTargetRef', kind: 'Deployment' },
  { kinds: ['ScaledObject'], pattern: 'spec.scaleTargetRef', kind: 'Deployment' },
  {
    kinds: ['ScaledObject'],
    pattern: 'spec.triggers[].authenticationRef',
    kind: 'TriggerAuthentication',
  },
  { kinds: ['Pooler', 'ScheduledBackup'], pattern: 'spec.cluster', kind: 'Cluster' },
  { pattern: 'spec.rabbitmqClusterReference', kind: 'RabbitmqCluster' },
  { kinds: ['Permission'], pattern: 'spec.userReference', kind: 'User' },
  { pattern: 'spec.secretStoreRef', kind: 'SecretStore' },
  { kinds: ['Certificate'], pattern: 'spec.issuerRef', kind: 'Issuer' },
  { pattern: 'spec.parentRefs[]', kind: 'Gateway' },
]

/**
 * Finds references to objects that do not exist in the kustomize build. References to cluster-wide
 * objects are not checked.
 */
export function checkReferences(build: Build): ManifestFault[] {
  return build.manifests.flatMap((manifest) =>
    references
      .filter(({ kinds }) => !kinds || kinds.includes(manifest.kind))
      .flatMap((reference) => checkReference(build, manifest, reference)),
  )
}

function checkReference(
  build: Build,
  manifest: Manifest,
  { pattern, kind }: Reference,
): ManifestFault[] {
  return valuesAt(manifest.content, pattern).flatMap(({ path, value }) => {
    const target = value as { name?: string; kind?: string; namespace?: string }
    const targetKind = target.kind ?? kind
    if (target.name === undefined || target.namespace !== undefined) return []
    if (targetKind.startsWith('Cluster') && targetKind !== 'Cluster') return []
    const absent = missing(build, { kind: targetKind, name: target.name })
    const place: Path = [...path, 'name']
    return absent.map((text) => ({ manifest, path: place, text, token: target.name ?? '' }))
  })
}

/**
 * Returns a fault if the kustomize build has no object of the referenced kind and name, or else an
 * empty list.
 */
export function missing(
  { manifests }: Build,
  { kind, name }: { kind: string; name: string },
): string[] {
  const exists = manifests.some((each) => each.kind === kind && each.name === name)
  return exists ? [] : [`${kind} ${name} does not exist`]
}

/** Finds routes of the Gateway API that refer to a listener that their Gateway does not have. */
export function checkListeners(build: Build): ManifestFault[] {
  return build.manifests.flatMap((manifest) =>
    valuesAt(manifest.content, 'spec.parentRefs[]').flatMap(({ path, value }) => {
      const { name, sectionName } = value as { name: string; sectionName?: string }
      const gateway = manifestsOf(build, 'Gateway').find((each) => each.name === name)
      const listeners = valuesAt(gateway?.content, 'spec.listeners[].name')
      if (sectionName === undefined || !gateway) return []
      if (listeners.some((listener) => listener.value === sectionName)) return []
      const text = `Gateway ${name} has no listener ${sectionName}`
      return [{ manifest, path: [...path, 'sectionName'], text }]
    }),
  )
}

/** Finds pods in manifests whose service account does not exist. */
export function checkServiceAccounts(build: Build): ManifestFault[] {
  const patterns = ['spec.template.spec.serviceAccountName', 'spec.serviceAccountName']
  return build.manifests.flatMap((manifest) =>
    patterns.flatMap((pattern) =>
      valuesAt(manifest.content, pattern).flatMap(({ path, value }) => {
        const name = String(value)
        return missing(build, { kind: 'ServiceAccount', name }).map((text) => ({
          manifest,
          path,
          text,
        }))
      }),
    ),
  )
}

/** Finds Kubernetes objects that occur twice in a kustomize build. */
export function checkNames({ manifests }: Build): ManifestFault[] {
  return manifests
    .filter((manifest, index) => manifests.slice(0, index).some((each) => isSame(each, manifest)))
    .map((manifest) => ({ manifest, path: ['metadata', 'name'], text: 'the object exists twice' }))
}

function isSame(a: Manifest, b: Manifest): boolean {
  const [first, second] = [a, b].map(({ content }) => valueAt(content, ['metadata', 'namespace']))
  return a.kind === b.kind && a.name === b.name && a.apiVersion === b.apiVersion && first === second
}
