import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import { type Build, type PodTemplate, podTemplates, type ManifestFault } from '../build.ts'
import { type Path, formatPath } from '../schema/path.ts'

/** Volume types that the pod security standard "restricted" allows. */
const volumeTypes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
])

const profiles = ['RuntimeDefault', 'Localhost']

/**
 * Check of a field in a pod's manifest against the security standard. Returns the path and the
 * requirement if the field violates the requirement, or else undefined.
 */
type Check<T> = (value: T) => { path: Path; demand: string } | undefined

const podChecks: readonly Check<IPodSpec>[] = [
  forbid('hostNetwork', ({ hostNetwork }) => hostNetwork === true),
  forbid('hostPID', ({ hostPID }) => hostPID === true),
  forbid('hostIPC', ({ hostIPC }) => hostIPC === true),
  ({ automountServiceAccountToken }) =>
    automountServiceAccountToken === false
      ? undefined
      : { path: ['automountServiceAccountToken'], demand: 'must be false' },
]

function forbid(name: string, isSet: (spec: IPodSpec) => boolean): Check<IPodSpec> {
  return (spec) => (isSet(spec) ? { path: [name], demand: 'must not be true' } : undefined)
}

/** Container, together with the security context of its pod. */
interface Contained {
  container: IContainer
  pod: IPodSpec
}

const containerChecks: readonly Check<Contained>[] = [
  ({ container: { securityContext } }) =>
    demand(
      securityContext?.allowPrivilegeEscalation === false,
      'allowPrivilegeEscalation',
      'false',
    ),
  ({ container: { securityContext } }) =>
    demand(securityContext?.readOnlyRootFilesystem === true, 'readOnlyRootFilesystem', 'true'),
  ({ container: { securityContext } }) =>
    demand(securityContext?.privileged !== true, 'privileged', 'false'),
  ({ container: { securityContext } }) =>
    demand(
      securityContext?.capabilities?.drop?.includes('ALL') === true,
      'capabilities.drop',
      'ALL',
    ),
  ({ container: { securityContext } }) =>
    demand(
      (securityContext?.capabilities?.add ?? []).every((name) => name === 'NET_BIND_SERVICE'),
      'capabilities.add',
      'NET_BIND_SERVICE or absent',
    ),
  ({ container: { securityContext }, pod }) =>
    demand(
      (securityContext?.runAsNonRoot ?? pod.securityContext?.runAsNonRoot) === true,
      'runAsNonRoot',
      'true',
    ),
  ({ container: { securityContext }, pod }) =>
    demand(
      (securityContext?.runAsUser ?? pod.securityContext?.runAsUser ?? 0) > 0,
      'runAsUser',
      'a number above 0',
    ),
  ({ container: { securityContext }, pod }) =>
    demand(
      profiles.includes(
        (securityContext?.seccompProfile ?? pod.securityContext?.seccompProfile)?.type ?? '',
      ),
      'seccompProfile.type',
      profiles.join(' or '),
    ),
]

function demand(isFulfilled: boolean, name: string, value: string) {
  const path = ['securityContext', ...name.split('.')]
  return isFulfilled ? undefined : { path, demand: `must be ${value}` }
}

/**
 * Finds pods that violate the pod security standard "restricted". Also finds pods that could write
 * to their root file system or use the Kubernetes API.
 */
export function checkPodSecurity(build: Build): ManifestFault[] {
  return podTemplates(build).flatMap((template) => [
    ...podChecks.flatMap((check) => toProblem(template, [], check(template.spec))),
    ...checkVolumes(template),
    ...(['containers', 'initContainers'] as const).flatMap((list) =>
      (template.spec[list] ?? []).flatMap((container, index) =>
        containerChecks.flatMap((check) =>
          toProblem(template, [list, index], check({ container, pod: template.spec })),
        ),
      ),
    ),
  ])
}

function toProblem(
  { manifest, path }: PodTemplate,
  at: Path,
  fault: ReturnType<Check<unknown>>,
): ManifestFault[] {
  if (!fault) return []
  const text = `restricted pod security: ${formatPath(fault.path)} ${fault.demand}`
  return [{ manifest, path: [...path, ...at, ...fault.path], text }]
}

function checkVolumes({ manifest, path, spec }: PodTemplate): ManifestFault[] {
  return (spec.volumes ?? []).flatMap((volume, index) =>
    Object.keys(volume)
      .filter((name) => name !== 'name' && !volumeTypes.has(name))
      .map((name) => ({
        manifest,
        path: [...path, 'volumes', index, name],
        text: `restricted pod security: a volume must not be ${name}`,
      })),
  )
}
