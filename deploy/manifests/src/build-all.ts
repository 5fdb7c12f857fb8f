import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Build } from './build.ts'
import { buildTarget, type BuildTarget, listTargets } from './kustomize.ts'

export interface BuildResult {
  target: BuildTarget
  build: Build | undefined
  /** Error message of a failed kustomize build, line by line. Empty if the build succeeded. */
  lines: string[]
}

export interface BuildAllOptions {
  /** Path of the program kustomize. */
  kustomize: string
  /** Folder of the Kubernetes manifests. */
  folder: string
  /** Folder to which `buildAll` writes temporary kustomizations. */
  work: string
}

/**
 * Builds the base, the overlays and the components of the manifests with kustomize. Runs one
 * kustomize process per CPU at the same time.
 */
export async function buildAll({
  kustomize,
  folder,
  work,
}: BuildAllOptions): Promise<BuildResult[]> {
  const targets = listTargets(folder)
  const results: BuildResult[] = []
  const buildNext = async () => {
    for (let target = targets.shift(); target; target = targets.shift())
      results.push(await build(kustomize, target, work))
  }
  await Promise.all(cpus().map(buildNext))
  return results
}

async function build(kustomize: string, target: BuildTarget, work: string): Promise<BuildResult> {
  const own = join(work, target.name.replaceAll('/', '-'))
  try {
    return { target, build: await buildTarget(kustomize, target, own), lines: [] }
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    const line = `k8s/${target.name}/kustomization.yaml:1: ${(stderr ?? message).trim()}`
    return { target, build: undefined, lines: [line] }
  }
}
