import type { Build } from '../build.ts'
import type { Condition } from './tree/nodes.ts'

const prefix = 'components/'

/**
 * Name of a component in the Helm chart's values, for example `mailProxies` for the folder
 * `mail-proxies`.
 */
export function valueName(folder: string): string {
  return folder.replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase())
}

/** Lists the folders of the manifest components for which a kustomize build exists. */
export function componentsOf(builds: readonly Build[]): string[] {
  return builds.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
}

/** Template condition of the Helm chart that is true if the component in a folder is enabled. */
export function isOn(folder: string): Condition {
  return `$.Values.components.${valueName(folder)}`
}

/**
 * Returns the kustomize build with the name `name`.
 *
 * @throws Error if no kustomize build has the name
 */
export function findBuild(builds: readonly Build[], name: string): Build {
  const build = builds.find((each) => each.name === name)
  if (!build) throw new Error(`k8s/${name} was not built`)
  return build
}
