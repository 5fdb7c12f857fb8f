import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDirectory, localDirectory } from '@posthorn/local/paths'
import { buildTarget, findKustomize } from '../kustomize.ts'
import { parseYaml } from '../yaml.ts'
import { compareObjects } from './compare.ts'

// Compares the output of `helm template` with an overlay of the release's manifests in
// .local/release/k8s. Used by the release workflow. Usage: node
// deploy/manifests/src/chart/compare-main.ts overlays/production <file>
const [name = '', file = ''] = process.argv.slice(2)
const folder = join(localDirectory, 'release/k8s')
const { KUSTOMIZE, PATH: path = '' } = process.env
const kustomize = KUSTOMIZE ?? (await findKustomize({ cache: cacheDirectory(process.env), path }))
const target = { name, resources: [join(folder, name)], components: [] }
const build = await buildTarget(kustomize, target, join(localDirectory, 'release/build'))
const rendered = parseYaml(readFileSync(file, 'utf8')).map(
  ({ content }) => content as Record<string, unknown>,
)
const lines = compareObjects(rendered, { build, folder })
for (const line of lines) process.stderr.write(`${name}: ${line}\n`)
process.exitCode = lines.length > 0 ? 1 : 0
