import type { Build, ManifestFault } from './build.ts'
import type { Processes } from './environment.ts'
import { baseName } from './locate.ts'
import { checkVariables } from './rules/environment.ts'
import { checkHooks } from './rules/hooks.ts'
import { checkJobs, checkLimits } from './rules/limits.ts'
import { checkListening, type Ports } from './rules/listening.ts'
import { checkMetrics } from './rules/metrics.ts'
import type { OperatorPods } from './rules/operator-pods.ts'
import { checkPorts } from './rules/ports.ts'
import {
  checkListeners,
  checkNames,
  checkReferences,
  checkServiceAccounts,
} from './rules/references.ts'
import { checkRollout } from './rules/rollout.ts'
import { checkPodSecurity } from './rules/security.ts'
import { checkSelectors } from './rules/selectors.ts'
import type { StoredKeys } from './rules/stored-data.ts'
import { checkStoredReferences } from './rules/stored-references.ts'
import { validateDocument } from './schema/validate.ts'

/** Facts about the code and the cluster, with which Kubernetes manifests are compared. */
export interface Facts {
  processes: Processes
  /** Keys of the Secrets that exist before the manifests are applied, by name of the Secret. */
  secrets: StoredKeys
  /** Pods that Kubernetes operators create for objects of any kustomize build. */
  operatorPods: readonly OperatorPods[]
  /**
   * Ports on which the processes listen with the configuration of any kustomize build, as returned
   * by `listeningPorts`.
   */
  listening: Ports
  /** Names of the metrics that the services export. */
  metrics: ReadonlySet<string>
}

/**
 * Validates the manifests of a kustomize build against their schemas. If all manifests conform,
 * also applies the rules in the folder `rules`.
 */
export function checkBuild(
  build: Build,
  { processes, secrets, operatorPods, metrics, listening }: Facts,
): ManifestFault[] {
  const faults = build.manifests.flatMap((manifest) =>
    validateDocument(manifest.apiVersion, manifest.kind, manifest.content).map(
      ({ path, text }) => ({ manifest, path, text, ...lastName(path) }),
    ),
  )
  if (faults.length > 0) return faults
  return [
    ...checkNames(build),
    ...checkSelectors(build, operatorPods),
    ...checkPorts(build, operatorPods),
    ...checkReferences(build),
    ...checkListeners(build),
    ...checkServiceAccounts(build),
    ...checkMetrics(build, metrics),
    ...checkStoredReferences(build, secrets),
    ...checkVariables(build, processes, secrets),
    ...checkListening(build, processes, listening),
    ...checkPodSecurity(build),
    ...checkLimits(build, processes),
    ...checkJobs(build),
    ...checkHooks(build),
    ...checkRollout(build),
  ]
}

function lastName(path: readonly (string | number)[]): { token?: string } {
  const name = path.findLast((key) => typeof key === 'string')
  return name === undefined ? {} : { token: String(name) }
}

/** Returns the text of a fault in a manifest, without the file and the line. */
export function describeProblem({ manifest, text }: ManifestFault): string {
  return `${manifest.kind} ${baseName(manifest)}: ${text}`
}
