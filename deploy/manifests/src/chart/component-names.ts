import type { Build } from '../build.ts'
import type { Condition } from './tree/nodes.ts'

const prefix = 'components/'

/** Name of a component in the values of the chart: `mailProxies` for the folder `mail-proxies`. */
export function valueName(folder: string): string {
  return folder.replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase())
}

/** Folders of the manifest components that kustomize built alone. */
export function componentsOf(builds: readonly Build[]): string[] {
  return builds.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
}

/** Template condition of the chart that is met if a component is enabled. */
export function isOn(folder: string): Condition {
  return `$.Values.components.${valueName(folder)}`
}

/**
 * Returns the kustomize build with a name.
 *
 * @throws Error if kustomize did not build the name
 */
export function findBuild(builds: readonly Build[], name: string): Build {
  const build = builds.find((each) => each.name === name)
  if (!build) throw new Error(`k8s/${name} was not built`)
  return build
}
