import type { IContainer } from 'kubernetes-models/v1/Container'
import { type Build, type Manifest, manifestsOf, type PodTemplate, podTemplates } from '../build.ts'
import type { Process, Processes, Variable } from '../environment.ts'
import type { Path } from '../schema/path.ts'

/** Container in a manifest that runs Posthorn's container image. */
export interface OwnContainer {
  pod: PodTemplate
  container: IContainer
  path: Path
  /** First argument of a container's command, which is the name of the Posthorn process. */
  name: string
  /**
   * Process that the container runs. Undefined if the container image has no process of that name.
   */
  process: Process | undefined
  variables: readonly PlacedVariable[]
}

export interface PlacedVariable extends Variable {
  manifest: Manifest
  path: Path
}

const ownImage = /(^|\/)posthorn([:@]|$)/

export function ownContainers(build: Build, processes: Processes): OwnContainer[] {
  return podTemplates(build).flatMap((pod) =>
    pod.spec.containers.flatMap((container, index) => {
      if (!ownImage.test(container.image ?? '')) return []
      const path = [...pod.path, 'containers', index]
      const name = container.args?.[0] ?? ''
      const variables = variablesOf(build, pod.manifest, { container, path })
      return [{ pod, container, path, name, process: processes.get(name), variables }]
    }),
  )
}

/**
 * Lists the environment variables of a container in the order in which Kubernetes sets them. A
 * later variable replaces an earlier variable with an equal name.
 */
function variablesOf(
  build: Build,
  manifest: Manifest,
  { container, path }: { container: IContainer; path: Path },
): PlacedVariable[] {
  const configMaps = new Map(manifestsOf(build, 'ConfigMap').map((each) => [each.name, each]))
  const dataOf = (name: string | undefined) => {
    const configMap = configMaps.get(name ?? '')
    const data = (configMap?.content['data'] ?? {}) as Record<string, string>
    return { configMap, data }
  }
  const fromMaps = (container.envFrom ?? []).flatMap(({ configMapRef, prefix = '' }) => {
    const { configMap, data } = dataOf(configMapRef?.name)
    if (!configMap) return []
    return Object.entries(data).map(([key, value]) => ({
      name: `${prefix}${key}`,
      value,
      manifest: configMap,
      path: ['data', key],
    }))
  })
  const own = (container.env ?? []).map(({ name, value, valueFrom }, index) => {
    const key = valueFrom?.configMapKeyRef
    const literal = key ? dataOf(key.name).data[key.key] : valueFrom ? undefined : (value ?? '')
    // The value of a variable with a reference such as $(POD_IP) is unknown here, because the
    // cluster resolves the reference.
    const isLiteral = literal !== undefined && !literal.includes('$(')
    return {
      name,
      value: isLiteral ? literal : undefined,
      manifest,
      path: [...path, 'env', index],
    }
  })
  return [...fromMaps, ...own]
}
