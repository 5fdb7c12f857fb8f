import { type Build, manifestsOf, type ManifestFault, valueAt, valuesAt } from '../build.ts'
import { checkEnvironment, type Processes } from '../environment.ts'
import { kubernetesUnits, memoryFault } from '../memory.ts'
import { graceFault } from '../shutdown.ts'
import { type OwnContainer, ownContainers } from './containers.ts'

/** Finds memory limits and grace periods that are too small for the process of the container. */
export function checkLimits(build: Build, processes: Processes): ManifestFault[] {
  return ownContainers(build, processes).flatMap((own) => [...checkMemory(own), ...checkGrace(own)])
}

function checkMemory({ pod, container, path, variables }: OwnContainer): ManifestFault[] {
  const limit = container.resources?.limits?.['memory']
  const options = variables.findLast(({ name }) => name === 'NODE_OPTIONS')?.value
  const text = memoryFault({ limit, units: kubernetesUnits }, options)
  const place = [...path, 'resources', 'limits', 'memory']
  return text === undefined ? [] : [{ manifest: pod.manifest, path: place, text }]
}

function checkGrace({ pod, container, name, process, variables }: OwnContainer): ManifestFault[] {
  const { manifest, path, spec } = pod
  const { config } = process ? checkEnvironment(name, process, variables) : {}
  if (!config || manifest.kind === 'Job') return []
  const text = graceFault(config, {
    field: 'terminationGracePeriodSeconds',
    seconds: spec.terminationGracePeriodSeconds ?? 30,
    hookSeconds: container.lifecycle?.preStop?.sleep?.seconds ?? 0,
  })
  const place = [...path, 'terminationGracePeriodSeconds']
  return text === undefined ? [] : [{ manifest, path: place, text }]
}

/**
 * Maximum length of a Job's name. Kubernetes repeats the name in a label, whose length is limited.
 */
const maxNameLength = 63

/**
 * Finds Jobs without the release in their name: the next release would change an immutable field of
 * such a Job. Also finds Jobs that could run forever or would never be deleted.
 */
export function checkJobs(build: Build): ManifestFault[] {
  return manifestsOf(build, 'Job').flatMap((manifest) => {
    const { name, content } = manifest
    const [image] = valuesAt(content, 'spec.template.spec.containers[].image')
    const release = String(image?.value).split(/:(?!.*\/)/)[1] ?? ''
    const nameFaults = [
      ...(name.endsWith(`-${release}`)
        ? []
        : ['the name does not end with the release of its image']),
      ...(name.length <= maxNameLength ? [] : [`the name is longer than ${maxNameLength}`]),
    ]
    const missing = ['activeDeadlineSeconds', 'ttlSecondsAfterFinished'].filter(
      (field) => valueAt(content, ['spec', field]) === undefined,
    )
    return [
      ...nameFaults.map((text) => ({ manifest, path: ['metadata', 'name'], text })),
      ...missing.map((field) => ({ manifest, path: ['spec'], text: `spec.${field} is missing` })),
    ]
  })
}
