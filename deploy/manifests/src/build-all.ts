import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Build } from './build.ts'
import { buildTarget, type BuildTarget, listTargets } from './kustomize.ts'

export interface BuildResult {
  target: BuildTarget
  build: Build | undefined
  /** Fault of the kustomization, in lines; empty if kustomize built the manifests. */
  lines: string[]
}

export interface BuildAllOptions {
  /** Path of the program kustomize. */
  kustomize: string
  /** Folder of the Kubernetes manifests. */
  folder: string
  /** Folder of the kustomizations that `buildAll` writes. */
  work: string
}

/**
 * Builds base, overlays and components of the manifests with kustomize, as many at the same time as
 * there are CPUs.
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
