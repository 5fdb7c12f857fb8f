import { type Build, type Manifest, type ManifestFault, podTemplates, valueAt } from '../build.ts'
import { missing } from './references.ts'

/** Priority classes that every Kubernetes cluster has without a manifest. */
const builtInClass = /^system-/

/**
 * Finds Deployments without `minReadySeconds`, whose replicas would be replaced too early, and
 * Deployments without a priority class, whose pods any other pod could evict.
 */
export function checkRollout(build: Build): ManifestFault[] {
  return podTemplates(build)
    .filter(({ manifest }) => manifest.kind === 'Deployment')
    .flatMap(({ manifest, path, spec: { priorityClassName: name } }) => {
      const ready = Number(valueAt(manifest.content, ['spec', 'minReadySeconds']) ?? 0)
      const faults = ready > 0 ? [] : [fault(manifest, ['spec'], 'spec.minReadySeconds is missing')]
      if (name === undefined)
        return [...faults, fault(manifest, path, 'priorityClassName is missing')]
      const absent = builtInClass.test(name) ? [] : missing(build, { kind: 'PriorityClass', name })
      return [
        ...faults,
        ...absent.map((text) => fault(manifest, [...path, 'priorityClassName'], text)),
      ]
    })
}

function fault(manifest: Manifest, path: ManifestFault['path'], text: string): ManifestFault {
  return { manifest, path, text }
}
