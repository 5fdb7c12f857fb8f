import { join } from 'node:path'
import { cacheDirectory, checkout, localDirectory } from '@posthorn/local/paths'
import { buildAll } from './build-all.ts'
import { checkChart } from './chart/compare.ts'
import { checkBuild, describeProblem } from './check.ts'
import { checkCompose } from './compose.ts'
import { readDeclaredSecrets } from './declared-secrets.ts'
import { findKustomize, NoKustomize } from './kustomize.ts'
import { checkKustomizations } from './kustomizations.ts'
import { Locator } from './locate.ts'
import { readProcesses } from './processes.ts'
import { listeningPorts } from './rules/listening.ts'
import { readMetrics } from './rules/metrics.ts'
import { labelledServers, operatorPods, optionalPods } from './rules/operator-pods.ts'

// Checks the manifests for Kubernetes and the Compose file. Prints one line per fault, with file
// and line number.
const folder = join(checkout, 'k8s')

async function checkKubernetes(): Promise<string[]> {
  const cache = cacheDirectory(process.env)
  const kustomize = await findKustomize({ cache, path: process.env['PATH'] ?? '' })
  const work = join(localDirectory, 'manifests')
  const results = await buildAll({ kustomize, folder, work })
  const builds = results.flatMap((result) => result.build ?? [])
  const facts = {
    processes,
    secrets: readDeclaredSecrets(folder),
    metrics: readMetrics(checkout),
    listening: listeningPorts(builds, processes),
    operatorPods: [...labelledServers, ...optionalPods, ...builds.flatMap(operatorPods)],
  }
  const locator = new Locator(checkout)
  const faults = results.flatMap(({ target, build, lines }) => {
    if (!build) return lines
    const folders = [...target.components, ...target.resources, join(folder, 'base')]
    return checkBuild(build, facts).map(
      (problem) => `${locator.locate(problem, folders)}: ${describeProblem(problem)}`,
    )
  })
  // The Helm chart is only checked if every kustomize build succeeded, because the chart is
  // generated from all builds.
  const chart = results.every(({ build }) => build) ? checkChart(builds, folder) : []
  return [...checkKustomizations(folder, builds, checkout), ...faults, ...chart]
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
