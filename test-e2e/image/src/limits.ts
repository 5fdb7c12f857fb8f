import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** Limits of a container, which depend on the process in the container. */
export interface ContainerLimits {
  /** Memory limit in bytes. Absent if the manifest has no memory limit. */
  memoryBytes?: number
  /** NODE_OPTIONS of the manifest, which limit the heap. */
  nodeOptions?: string
}

interface Container {
  name?: string
  args?: string[]
  env?: { name: string; value?: string }[]
  resources?: { limits?: { memory?: string | number } }
}

interface Manifest {
  spec?: { template?: { spec?: { containers?: Container[] } } }
}

/**
 * Reads the limits of containers from a folder of Kubernetes manifests, by process name, or by
 * container name if there is no process name.
 */
export function readLimits(folder: string): Map<string, ContainerLimits> {
  const files = globSync('**/*.{yaml,yml}', { cwd: folder })
  const containers = files.flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).flatMap((document) => {
      const manifest = document.toJS() as Manifest | null
      return manifest?.spec?.template?.spec?.containers ?? []
    }),
  )
  return new Map(
    containers.map((container) => [
      container.args?.[0] ?? container.name ?? '',
      limitsOf(container),
    ]),
  )
}

function limitsOf({ env = [], resources }: Container): ContainerLimits {
  const memory = resources?.limits?.memory
  const nodeOptions = env.find(({ name }) => name === 'NODE_OPTIONS')?.value
  return {
    ...(memory === undefined ? {} : { memoryBytes: parseQuantity(String(memory)) }),
    ...(nodeOptions === undefined ? {} : { nodeOptions }),
  }
}

const units: Record<string, number> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
}

/** Converts a quantity of Kubernetes, such as `1536Mi`, to bytes. */
function parseQuantity(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? []
  const factor = units[unit]
  if (number === '' || factor === undefined) throw new Error(`${text} is no quantity of memory`)
  return Math.round(Number(number) * factor)
}
