import type { Build, ManifestFault } from '../build.ts'
import { checkEnvironment, type Processes } from '../environment.ts'
import { type OwnContainer, ownContainers } from './containers.ts'

export type Ports = ReadonlyMap<string, ReadonlySet<number>>

/**
 * Returns all ports on which each process of the container image listens in any of the kustomize
 * builds. A container may therefore list a port on which its process listens only in another build.
 */
export function listeningPorts(builds: readonly Build[], processes: Processes): Ports {
  const ports = new Map<string, Set<number>>()
  for (const build of builds) {
    const containers = ownContainers(build, processes)
    const fromSettings = containers.flatMap(portsInSettings)
    for (const { name, process, variables } of containers) {
      const { config } = process ? checkEnvironment(name, process, variables) : {}
      const added = config ? [...portsIn(config), ...fromSettings] : []
      if (added.length > 0) ports.set(name, new Set([...(ports.get(name) ?? []), ...added]))
    }
  }
  return ports
}

/** Finds ports in containers' port lists on which the process does not listen. */
export function checkListening(
  build: Build,
  processes: Processes,
  listening: Ports,
): ManifestFault[] {
  return ownContainers(build, processes).flatMap(({ pod, container, path, name }) =>
    (container.ports ?? []).flatMap(({ containerPort }, index) => {
      if (listening.get(name)?.has(containerPort) !== false) return []
      const text = `${name} does not listen on port ${containerPort}`
      return [{ manifest: pod.manifest, path: [...path, 'ports', index, 'containerPort'], text }]
    }),
  )
}

/**
 * Ports of the IMAP and SMTP listeners in Posthorn's settings, which a container has in the
 * variable SVC_SETTINGS.
 */
function portsInSettings({ variables }: OwnContainer): number[] {
  const text = variables.findLast(({ name }) => name === 'SVC_SETTINGS')?.value ?? '{}'
  try {
    return portsIn(JSON.parse(text) as Record<string, unknown>)
  } catch {
    // Invalid settings are not reported here, but by the check of the container's variables.
    return []
  }
}

function portsIn(fields: Readonly<Record<string, unknown>>): number[] {
  return Object.entries(fields).flatMap(([name, value]) =>
    /port$/i.test(name) && typeof value === 'number' ? [value] : [],
  )
}
