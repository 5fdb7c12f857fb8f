import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Build, manifestsOf, type ManifestFault, valuesAt } from '../build.ts'

/**
 * Finds the names of all metrics in the source code of services and libraries. The names include
 * the prefix that is added when a metric is registered.
 */
export function readMetrics(root: string): ReadonlySet<string> {
  const files = globSync('{services,libs}/*/src/**/!(*.test).ts', { cwd: root })
  const names = files.flatMap((file) => [
    ...readFileSync(join(root, file), 'utf8').matchAll(/'([a-z]+(?:_[a-z]+)+)'/g),
  ])
  return new Set(names.map(([, name]) => `posthorn_${name}`))
}

/** Finds metrics in queries of autoscalers (ScaledObject) that no service exports. */
export function checkMetrics(build: Build, metrics: ReadonlySet<string>): ManifestFault[] {
  return manifestsOf(build, 'ScaledObject').flatMap((manifest) =>
    valuesAt(manifest.content, 'spec.triggers[].metadata.query').flatMap(({ path, value }) =>
      [...String(value).matchAll(/\bposthorn_\w+/g)]
        .map(([name]) => name)
        .filter((name) => !metrics.has(name))
        .map((name) => ({ manifest, path, text: `no service has the metric ${name}` })),
    ),
  )
}
