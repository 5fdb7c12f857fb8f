import {
  type Build,
  type Manifest,
  type PodTemplate,
  podTemplates,
  type ManifestFault,
  valuesAt,
} from '../build.ts'
import type { Path } from '../schema/path.ts'
import { configMapsOf, secretsOf, type StoredKeys } from './stored-data.ts'

/**
 * Fields of a pod that refer to a Secret or ConfigMap. `key` is absent for fields that refer to a
 * whole Secret or ConfigMap.
 */
interface Fields {
  pattern: string
  name: string
  key?: string
}

const secretFields: readonly Fields[] = [
  { pattern: 'containers[].env[].valueFrom.secretKeyRef', name: 'name', key: 'key' },
  { pattern: 'containers[].envFrom[].secretRef', name: 'name' },
  { pattern: 'imagePullSecrets[]', name: 'name' },
  { pattern: 'volumes[].secret', name: 'secretName', key: 'items' },
  { pattern: 'volumes[].projected.sources[].secret', name: 'name', key: 'items' },
]

const configMapFields: readonly Fields[] = [
  { pattern: 'containers[].env[].valueFrom.configMapKeyRef', name: 'name', key: 'key' },
  { pattern: 'containers[].envFrom[].configMapRef', name: 'name' },
  { pattern: 'volumes[].configMap', name: 'name', key: 'items' },
  { pattern: 'volumes[].projected.sources[].configMap', name: 'name', key: 'items' },
]

/** Fields of Kubernetes objects other than pods that refer to Secrets. */
const otherSecretFields: Record<string, readonly Fields[]> = {
  Ingress: [{ pattern: 'spec.tls[]', name: 'secretName' }],
  Gateway: [{ pattern: 'spec.listeners[].tls.certificateRefs[]', name: 'name' }],
  TriggerAuthentication: [{ pattern: 'spec.secretTargetRef[]', name: 'name', key: 'key' }],
  RabbitmqCluster: [{ pattern: 'spec.tls', name: 'secretName' }],
  User: [{ pattern: 'spec.importCredentialsSecret', name: 'name' }],
  PodMonitor: [
    { pattern: 'spec.podMetricsEndpoints[].bearerTokenSecret', name: 'name', key: 'key' },
  ],
}

/** Finds references to Secrets, ConfigMaps or their keys that do not exist. */
export function checkStoredReferences(build: Build, declaredSecrets: StoredKeys): ManifestFault[] {
  const secrets = { kind: 'Secret', keys: new Map([...declaredSecrets, ...secretsOf(build)]) }
  const configMaps = { kind: 'ConfigMap', keys: configMapsOf(build) }
  const pods = podTemplates(build).flatMap((pod) => [
    ...check(inPod(pod), secretFields, secrets),
    ...check(inPod(pod), configMapFields, configMaps),
    ...checkMounts(pod),
  ])
  const others = build.manifests.flatMap((manifest) =>
    check(
      { manifest, path: [], content: manifest.content },
      otherSecretFields[manifest.kind] ?? [],
      secrets,
    ),
  )
  return [...pods, ...others]
}

interface Content {
  manifest: Manifest
  path: Path
  content: unknown
}

const inPod = ({ manifest, path, spec }: PodTemplate): Content => ({
  manifest,
  path,
  content: spec,
})

function check(
  { manifest, path, content }: Content,
  fields: readonly Fields[],
  stored: { kind: string; keys: StoredKeys },
): ManifestFault[] {
  return fields.flatMap((field) =>
    valuesAt(content, field.pattern).flatMap((place) => {
      const value = place.value as Record<string, unknown>
      const name = value[field.name]
      if (typeof name !== 'string' || value['optional'] === true) return []
      const at = [...path, ...place.path]
      if (!stored.keys.has(name)) {
        const text = `${stored.kind} ${name} is not declared`
        return [{ manifest, path: [...at, field.name], text, token: name }]
      }
      const keys = stored.keys.get(name)
      return keysIn(value, field)
        .filter(({ key }) => keys && !keys.has(key))
        .map((each) => ({
          manifest,
          path: [...at, ...each.path],
          text: `key ${each.key} of ${stored.kind} ${name} is not declared`,
          token: each.key,
        }))
    }),
  )
}

function keysIn(value: Record<string, unknown>, { key }: Fields): { path: Path; key: string }[] {
  if (key === undefined) return []
  const pattern = key === 'items' ? 'items[].key' : key
  return valuesAt(value, pattern).map((place) => ({ path: place.path, key: String(place.value) }))
}

/** Finds volume mounts whose volume the pod does not have, and volumes that no container mounts. */
function checkMounts({ manifest, path, spec }: PodTemplate): ManifestFault[] {
  const names = new Set((spec.volumes ?? []).map(({ name }) => name))
  const mounts = valuesAt(spec, 'containers[].volumeMounts[].name')
  const mounted = new Set(mounts.map(({ value }) => value))
  const problem = (at: Path, text: string) => ({ manifest, path: [...path, ...at], text })
  return [
    ...mounts
      .filter(({ value }) => !names.has(String(value)))
      .map((mount) => problem(mount.path, `volume ${String(mount.value)} does not exist`)),
    ...valuesAt(spec, 'volumes[].name')
      .filter(({ value }) => !mounted.has(value))
      .map((volume) => problem(volume.path, `volume ${String(volume.value)} is not mounted`)),
  ]
}
