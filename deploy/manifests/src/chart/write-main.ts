import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cacheDirectory, checkout, localDirectory } from '@posthorn/local/paths'
import { buildAll } from '../build-all.ts'
import { findKustomize } from '../kustomize.ts'
import { chartFiles, createChart, localImage } from './chart.ts'

// `make chart`: writes the Helm chart into .local/chart/posthorn. The environment variables IMAGE
// and DIGEST name the container image of a release. KUSTOMIZE is the path of the program kustomize,
// for a machine that does not run Debian.
const folder = join(checkout, 'k8s')
const {
  IMAGE: repository = localImage.repository,
  DIGEST: digest = '',
  PATH: path = '',
} = process.env
const kustomize =
  process.env['KUSTOMIZE'] ?? (await findKustomize({ cache: cacheDirectory(process.env), path }))
const results = await buildAll({ kustomize, folder, work: join(localDirectory, 'chart/builds') })
const faults = results.flatMap(({ lines }) => lines)
if (faults.length > 0) throw new Error(faults.join('\n'))
const builds = results.flatMap(({ build }) => build ?? [])
const target = join(localDirectory, 'chart/posthorn')
await rm(target, { recursive: true, force: true })
for (const [file, text] of chartFiles(createChart(builds, folder, { repository, digest }))) {
  await mkdir(dirname(join(target, file)), { recursive: true })
  await writeFile(join(target, file), text)
}
process.stdout.write(`chart written into ${target}\n`)
