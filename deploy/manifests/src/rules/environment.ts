import type { Build, ManifestFault } from '../build.ts'
import { checkEnvironment, type Processes } from '../environment.ts'
import { type OwnContainer, ownContainers, type PlacedVariable } from './containers.ts'
import { configMapsOf, secretsOf, type StoredKeys } from './stored-data.ts'
import { sourcesOfFile } from './volumes.ts'

/**
 * Finds faulty environment variables of containers: not read by the container's process, missing,
 * invalid, or with the path of a file that does not exist.
 */
export function checkVariables(
  build: Build,
  processes: Processes,
  declaredSecrets: StoredKeys,
): ManifestFault[] {
  const secrets = new Map([...declaredSecrets, ...secretsOf(build)])
  const stored = { Secret: secrets, ConfigMap: configMapsOf(build) }
  return ownContainers(build, processes).flatMap((own) => [
    ...checkProcess(own),
    ...checkTwice(own),
    ...checkReplaced(own),
    ...own.variables.flatMap((variable) => checkFile(own, variable, stored)),
  ])
}

function checkProcess({ pod, path, name, process, variables }: OwnContainer): ManifestFault[] {
  const { manifest } = pod
  if (!process) {
    const text = `the image has no process "${name}"`
    return [{ manifest, path: [...path, 'args'], text, token: 'args' }]
  }
  return checkEnvironment(name, process, variables).faults.map(({ variable, text }) =>
    variable ? inVariable(variable, text) : { manifest, path: [...path, 'args'], text },
  )
}

function inVariable({ manifest, path, name }: PlacedVariable, text: string): ManifestFault {
  return { manifest, path, text, token: name }
}

function checkTwice({ variables }: OwnContainer): ManifestFault[] {
  return variables
    .filter((variable, index) =>
      variables
        .slice(0, index)
        .some(({ name, manifest }) => name === variable.name && manifest === variable.manifest),
    )
    .map((variable) => inVariable(variable, `${variable.name} is set twice`))
}

/**
 * Finds environment variables in ConfigMaps that have no effect, because the container's list `env`
 * sets variables of the same name.
 */
function checkReplaced({ pod, variables }: OwnContainer): ManifestFault[] {
  const isOwn = ({ manifest }: PlacedVariable) => manifest === pod.manifest
  const own = new Set(variables.filter(isOwn).map(({ name }) => name))
  return variables
    .filter((variable) => !isOwn(variable) && own.has(variable.name))
    .map((variable) =>
      inVariable(
        variable,
        `${variable.name} has no effect: \`env\` of ${pod.manifest.name} sets it`,
      ),
    )
}

/** Finds an environment variable with the path of a file that is in no volume of the container. */
function checkFile(
  { pod, container }: OwnContainer,
  variable: PlacedVariable,
  stored: Record<'Secret' | 'ConfigMap', StoredKeys>,
): ManifestFault[] {
  const { value, name } = variable
  if (value === undefined || !/^\/(?!dev\/)./.test(value) || value.includes(',')) return []
  const sources = sourcesOfFile(pod, container, value)
  if (sources.length === 0) return [inVariable(variable, `${name}: no volume has ${value}`)]
  const exists = sources.some((each) => {
    if (each.source === 'other' || each.isOptional) return true
    const keys = stored[each.source]
    return keys.has(each.name) && keys.get(each.name)?.has(each.key) !== false
  })
  if (exists) return []
  const [source] = sources
  const origin = source && source.source !== 'other' ? `${source.source} ${source.name}` : ''
  return [inVariable(variable, `${name}: ${origin} has no key for ${value}`)]
}
