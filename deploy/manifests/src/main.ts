import { cpus } from 'node:os'
import { join } from 'node:path'
import { cacheDirectory, checkout, localDirectory } from '@posthorn/local/paths'
import type { Build } from './build.ts'
import { checkBuild, describeProblem } from './check.ts'
import { checkCompose } from './compose.ts'
import { readDeclaredSecrets } from './declared-secrets.ts'
import {
  buildTarget,
  findKustomize,
  listTargets,
  NoKustomize,
  type BuildTarget,
} from './kustomize.ts'
import { checkKustomizations } from './kustomizations.ts'
import { Locator } from './locate.ts'
import { readProcesses } from './processes.ts'
import { listeningPorts } from './rules/listening.ts'
import { readMetrics } from './rules/metrics.ts'
import { labelledServers, operatorPods } from './rules/operator-pods.ts'

// Checks the manifests of Kubernetes and Compose. Prints one line per fault, with file and line.
const folder = join(checkout, 'k8s')

interface Result {
  target: BuildTarget
  build: Build | undefined
  /** Fault of the kustomization; empty if it was built. */
  lines: string[]
}

async function build(kustomize: string, target: BuildTarget): Promise<Result> {
  const work = join(localDirectory, 'manifests', target.name.replaceAll('/', '-'))
  try {
    return { target, build: await buildTarget(kustomize, target, work), lines: [] }
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    const line = `k8s/${target.name}/kustomization.yaml:1: ${(stderr ?? message).trim()}`
    return { target, build: undefined, lines: [line] }
  }
}

/** Builds all targets, as many at the same time as there are processors. */
async function buildAll(kustomize: string): Promise<Result[]> {
  const targets = listTargets(folder)
  const results: Result[] = []
  const work = async () => {
    for (let target = targets.shift(); target; target = targets.shift())
      results.push(await build(kustomize, target))
  }
  await Promise.all(cpus().map(work))
  return results
}

async function checkKubernetes(): Promise<string[]> {
  const cache = cacheDirectory(process.env)
  const kustomize = await findKustomize({ cache, path: process.env['PATH'] ?? '' })
  const results = await buildAll(kustomize)
  const builds = results.flatMap((result) => result.build ?? [])
  const facts = {
    processes,
    secrets: readDeclaredSecrets(folder),
    metrics: readMetrics(checkout),
    listening: listeningPorts(builds, processes),
    operatorPods: [...labelledServers, ...builds.flatMap(operatorPods)],
  }
  const locator = new Locator(checkout)
  const faults = results.flatMap(({ target, build, lines }) => {
    if (!build) return lines
    const folders = [...target.components, ...target.resources, join(folder, 'base')]
    return checkBuild(build, facts).map(
      (problem) => `${locator.locate(problem, folders)}: ${describeProblem(problem)}`,
    )
  })
  return [...checkKustomizations(folder, builds, checkout), ...faults]
}

const processes = readProcesses()
const lines = checkCompose(join(checkout, 'deploy/compose.yaml'), processes, checkout)
try {
  lines.push(...(await checkKubernetes()))
} catch (error) {
  if (!(error instanceof NoKustomize)) throw error
  process.stdout.write(`manifests of Kubernetes are not checked: ${error.message}\n`)
}
for (const line of [...new Set(lines)].toSorted()) process.stderr.write(`${line}\n`)
process.exitCode = lines.length > 0 ? 1 : 0
